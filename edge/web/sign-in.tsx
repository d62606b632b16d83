/** The sign-in page: a button to the identity provider, or a form for the directory. */
import { useState } from 'preact/hooks';
import { ask, BASE, type Identity, remember } from './api.ts';

interface Properties {
  readonly method: 'oidc' | 'ldap';
  readonly message: string;
  readonly enter: (identity: Identity) => void;
}

export function SignIn({ method, message, enter }: Properties) {
  return (
    <>
      <header>
        <h1>Rackwright</h1>
      </header>
      <section aria-labelledby="title">
        <h2 id="title">Sign in</h2>
        {message !== '' && (
          <p class="bad" role="alert">
            {message}
          </p>
        )}
        {method === 'oidc' ? (
          <a class="button" href={`${BASE}/api/oidc/login`}>
            Sign in with your organisation's account
          </a>
        ) : (
          <Form enter={enter} />
        )}
      </section>
    </>
  );
}

function Form({ enter }: Pick<Properties, 'enter'>) {
  const [trouble, setTrouble] = useState('');
  const [busy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    setBusy(true);
    setTrouble('');
    try {
      const body = { user: String(form.get('user')), password: String(form.get('password')) };
      const identity = await ask<Identity>('/api/login', { method: 'POST', body });
      remember(identity);
      enter(identity);
    } catch (error) {
      setTrouble(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  };
  return (
    <form onSubmit={event => void submit(event)}>
      {trouble !== '' && (
        <p class="bad" role="alert">
          {trouble}
        </p>
      )}
      <label>
        User name
        <input name="user" autocomplete="username" required />
      </label>
      <label>
        Password
        <input name="password" type="password" autocomplete="current-password" required />
      </label>
      <button type="submit" disabled={busy}>
        Sign in
      </button>
    </form>
  );
}
