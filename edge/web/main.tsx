/** The browser pages: sign-in, its return, and the start page. */
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ask, BASE, type Config, type Identity, recall, remember } from './api.ts';
import { SignIn } from './sign-in.tsx';
import { Start } from './start.tsx';

type Handoff = Identity & { readonly return_to?: string };

function App() {
  const [config, setConfig] = useState<Config | null>(null);
  const [identity, setIdentity] = useState<Identity | null>(null);
  const [message, setMessage] = useState('');
  const [ready, setReady] = useState(false);

  useEffect(() => {
    const begin = async (): Promise<void> => {
      const read = await ask<Config>('/config.json');
      setConfig(read);
      if (location.pathname === `${BASE}/auth/oidc/callback`) await receive(setIdentity, setMessage);
      else setIdentity(read.AUTHENTICATION ? recall() : await visit());
    };
    begin()
      .catch(error => setMessage(error instanceof Error ? error.message : String(error)))
      .finally(() => setReady(true));
  }, []);

  const leave = (sentence: string): void => {
    setIdentity(null);
    setMessage(sentence);
  };
  if (!ready) return <p class="quiet">Loading…</p>;
  if (config === null) {
    return (
      <p class="bad" role="alert">
        {message}
      </p>
    );
  }
  const { AUTHENTICATION_METHOD: method } = config;
  if (identity !== null) return <Start identity={identity} method={method} leave={leave} />;
  return <SignIn method={method ?? 'ldap'} message={message} enter={setIdentity} />;
}

/** The end of a sign-in with the identity provider: the session is read once, and the address is cleaned. */
async function receive(
  setIdentity: (identity: Identity) => void,
  setMessage: (message: string) => void,
): Promise<void> {
  try {
    const { token, login, fullname, groups, return_to } = await ask<Handoff>('/api/oidc/session');
    const identity = { token, login, fullname, groups };
    remember(identity);
    if (return_to !== undefined) {
      location.replace(return_to);
      return;
    }
    setIdentity(identity);
  } catch (error) {
    setMessage(error instanceof Error ? error.message : String(error));
  }
  history.replaceState(null, '', `${BASE}/auth/`);
}

/** Without authentication everybody is the same visitor. */
async function visit(): Promise<Identity> {
  const { token } = await ask<{ token: string }>('/api/anonymous');
  return { token, login: 'anonymous', fullname: 'a visitor', groups: [] };
}

const root = document.getElementById('app');
if (root) {
  root.replaceChildren();
  render(<App />, root);
}
