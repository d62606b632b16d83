/** The start page: who one is, what one may do on each cluster, and one's sessions. */
import { useEffect, useState } from 'preact/hooks';
import { ask, type Cluster, type Identity, Refused, remember, type SessionEntry } from './api.ts';

interface Properties {
  readonly identity: Identity;
  readonly method: 'oidc' | 'ldap' | undefined;
  readonly leave: (message: string) => void;
}

export function Start({ identity, method, leave }: Properties) {
  const [clusters, setClusters] = useState<readonly Cluster[] | null>(null);
  const [sessions, setSessions] = useState<readonly SessionEntry[] | null>(null);
  const [trouble, setTrouble] = useState('');
  const { token } = identity;

  const fail = (error: unknown): void => {
    if (error instanceof Refused && error.status === 401) {
      remember(null);
      leave(`You are signed out: ${error.message}`);
    } else setTrouble(error instanceof Error ? error.message : String(error));
  };
  useEffect(() => {
    ask<readonly Cluster[]>('/api/clusters', { token }).then(setClusters, fail);
    ask<readonly SessionEntry[]>('/api/sessions', { token }).then(setSessions, fail);
  }, [token]);

  const signOut = async (): Promise<void> => {
    const path = method === 'oidc' ? '/api/oidc/logout' : '/api/logout';
    let next: string | null | undefined = null;
    try {
      next = (await ask<{ logout_url?: string | null }>(path, { method: 'POST', token })).logout_url;
    } catch {
      // The session is over here in any case.
    }
    remember(null);
    if (next) location.assign(next);
    else leave('You are signed out.');
  };
  const end = (id: string): void => {
    ask(`/api/sessions/${encodeURIComponent(id)}`, { method: 'DELETE', token })
      .then(() => setSessions(list => list?.filter(one => one.id !== id) ?? null))
      .catch(fail);
  };

  return (
    <>
      <header>
        <h1>Rackwright</h1>
        {method !== undefined && (
          <button type="button" class="plain" onClick={() => void signOut()}>
            Sign out
          </button>
        )}
      </header>
      {trouble !== '' && (
        <p class="bad" role="alert">
          {trouble}
        </p>
      )}
      <section aria-labelledby="who">
        <h2 id="who">You are {identity.fullname}</h2>
        <p>
          Login <strong id="login">{identity.login}</strong>
        </p>
        <p class="words" id="groups">
          {identity.groups.length === 0 ? 'You are in no group.' : `Groups: ${identity.groups.join(', ')}`}
        </p>
      </section>
      <section aria-labelledby="clusters">
        <h2 id="clusters">Clusters</h2>
        {clusters === null ? (
          <p class="quiet">Loading…</p>
        ) : (
          <ul class="plain">
            {clusters.map(cluster => (
              <ClusterItem key={cluster.name} cluster={cluster} />
            ))}
          </ul>
        )}
      </section>
      {method !== undefined && (
        <section aria-labelledby="sessions">
          <h2 id="sessions">Your sessions</h2>
          {sessions === null ? (
            <p class="quiet">Loading…</p>
          ) : (
            <ul class="plain">
              {sessions.map(one => (
                <SessionItem key={one.id} session={one} end={() => end(one.id)} />
              ))}
            </ul>
          )}
        </section>
      )}
    </>
  );
}

function ClusterItem({ cluster }: { readonly cluster: Cluster }) {
  const { roles, actions } = cluster.permissions;
  return (
    <li>
      <strong>{cluster.name}</strong>
      {cluster.error ? (
        <span class="bad">Unavailable: {cluster.reason}</span>
      ) : (
        <span class="words">
          {actions.length === 0
            ? 'You may do nothing here.'
            : `Roles: ${roles.join(', ')}. You may: ${actions.filter(isOne).join(', ')}`}
        </span>
      )}
    </li>
  );
}

/** Actions with two names are shown by one. */
function isOne(action: string): boolean {
  return !/^(stats|jobs|nodes|partitions|qos|accounts|reservations)-view$/.test(action);
}

function SessionItem({ session, end }: { readonly session: SessionEntry; readonly end: () => void }) {
  const date = (seconds: number): string => new Date(seconds * 1000).toLocaleString();
  return (
    <li>
      <span class="words">
        {session.current ? <strong>This session</strong> : session.agent || 'Unknown program'}
        <br />
        <span class="quiet">
          since {date(session.issued)}, until {date(session.expires)}, by {session.method}
        </span>
      </span>
      {!session.current && (
        <button type="button" class="plain" onClick={end}>
          End
        </button>
      )}
    </li>
  );
}
