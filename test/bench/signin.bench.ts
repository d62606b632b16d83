/** Sign-ins per second through the gateway beside a bare openid-client walking the same provider. */
import * as client from 'openid-client';
import { Jar, makeHome, spawnGateway } from '../support/gateway.ts';
import { oidcIni, signIn } from '../support/oidc-sign-in.ts';
import { ScriptedProvider } from '../support/scripted-provider.ts';
import type { Bench, BenchRow } from './row.ts';

const SIGN_INS = 200;
const PARALLEL = 8;

export const bench: Bench = { name: 'signing in', run };

async function run(): Promise<BenchRow[]> {
  const provider = new ScriptedProvider();
  await provider.open();
  try {
    const home = makeHome(oidcIni(provider));
    const gateway = await spawnGateway(home);
    let ours = 0;
    try {
      ours = await perSecond(() => signIn(gateway));
    } finally {
      await gateway.kill();
      home.close();
    }
    const peer = await bare(provider);
    return [
      {
        measured: `sign-ins a second, ${PARALLEL} at a time, provider included`,
        ours,
        peer: { name: 'openid-client without cookie, handoff and token of its own', value: peer },
        aim: { text: '>= 20 a second', met: ours >= 20 },
      },
    ];
  } finally {
    await provider.close();
  }
}

async function perSecond(work: () => Promise<unknown>): Promise<number> {
  for (let count = 0; count < 10; count += 1) await work();
  let left = SIGN_INS;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: PARALLEL }, async () => {
      while (left > 0) {
        left -= 1;
        await work();
      }
    }),
  );
  return SIGN_INS / ((performance.now() - began) / 1000);
}

async function bare(provider: ScriptedProvider): Promise<number> {
  const config = await client.discovery(
    new URL(provider.issuer),
    'dash',
    {},
    client.ClientSecretBasic('s3cr3t'),
    {
      execute: [client.allowInsecureRequests],
    },
  );
  client.enableNonRepudiationChecks(config);
  return perSecond(async () => {
    const verifier = client.randomPKCECodeVerifier();
    const [state, nonce] = [client.randomState(), client.randomNonce()];
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: 'http://dash.test/api/oidc/callback',
      scope: 'openid profile email',
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...{ state, nonce },
    });
    const back = await new Jar().get(url.href);
    await client.authorizationCodeGrant(config, new URL(back.headers.get('location') ?? ''), {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
    });
  });
}
