/** The frontend behind the gateway: configuration, branding, login message, files, one page for every path. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { oidcIni, signIn, withGateway } from '../../support/oidc-sign-in.ts';
import { ScriptedProvider } from '../../support/scripted-provider.ts';

const provider = new ScriptedProvider();
const folder = mkdtempSync(join(tmpdir(), 'rackwright-ui-'));
before(async () => {
  await provider.open();
  mkdirSync(join(folder, 'assets'));
  mkdirSync(join(folder, 'logo'));
  writeFileSync(
    join(folder, 'index.html'),
    '<script src="/__SLURMWEB_BASE__/assets/app-12345678.js"></script>',
  );
  writeFileSync(join(folder, 'assets/app-12345678.js'), 'fetch("/__SLURMWEB_BASE__/config.json")');
  writeFileSync(join(folder, 'logo/own.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  writeFileSync(join(folder, 'message.md'), '# Welcome\n\nto *us* <b>here</b>');
});
after(async () => {
  await provider.close();
  rmSync(folder, { recursive: true });
});

const prefixed = { host: 'https://h.test/dash', path: folder };

test('a frontend with prefix gets its files, its one page, and nothing for paths below /api', async () => {
  await withGateway(oidcIni(provider, { ui: prefixed }), async gateway => {
    for (const path of [
      '/',
      '/dash',
      '/dash/',
      '/dash/login',
      '/alpha/jobs',
      '/auth/oidc/callback?error=x',
      '/node/cn1.cluster',
    ]) {
      const answer = await fetch(gateway.url + path);
      assert.equal(answer.status, 200, path);
      assert.equal(await answer.text(), '<script src="/dash/assets/app-12345678.js"></script>');
      assert.match(answer.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
    }
    const script = await fetch(`${gateway.url}/dash/assets/app-12345678.js`);
    assert.equal(await script.text(), 'fetch("/dash/config.json")');
    assert.match(script.headers.get('cache-control') ?? '', /immutable/);
    assert.equal((await fetch(`${gateway.url}/assets/missing.js`)).status, 404);
    assert.equal((await fetch(`${gateway.url}/assets/..%2f..%2fetc%2fpasswd`)).status, 404);
    assert.equal((await fetch(`${gateway.url}/api/unknown`)).headers.get('content-type'), 'application/json');
  });
});

test('config.json has what is configured, branding included, and the images are served', async () => {
  const ui = {
    ...prefixed,
    color_main: '#123456',
    logo_login: join(folder, 'logo/own.svg'),
    logo_alt: 'Us',
    racksdb_rows_labels: 'yes',
  };
  await withGateway(oidcIni(provider, { ui }), async gateway => {
    assert.deepEqual(await (await fetch(`${gateway.url}/config.json`)).json(), {
      API_SERVER: 'https://h.test/dash',
      AUTHENTICATION: true,
      AUTHENTICATION_METHOD: 'oidc',
      RACKSDB_ROWS_LABELS: true,
      RACKSDB_RACKS_LABELS: false,
      VERSION: '0.1.0',
      COLOR_MAIN: '#123456',
      LOGO_LOGIN: '/dash/logo/logo_login.svg',
      LOGO_ALT: 'Us',
    });
    const logo = await fetch(`${gateway.url}/dash/logo/logo_login.svg`);
    assert.equal(logo.headers.get('content-type'), 'image/svg+xml');
    assert.equal((await fetch(`${gateway.url}/logo/own.svg`)).status, 200);
  });
});

test('the login message is rendered, escaped and frameable by our own pages only; without one it is a JSON 404', async () => {
  const ui = { ...prefixed, message_login: join(folder, 'message.md') };
  await withGateway(oidcIni(provider, { ui }), async gateway => {
    const answer = await fetch(`${gateway.url}/api/messages/login`);
    assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.match(answer.headers.get('content-security-policy') ?? '', /frame-ancestors 'self'/);
    assert.match(await answer.text(), /<h1>Welcome<\/h1>\n<p>to <em>us<\/em> &lt;b&gt;here&lt;\/b&gt;<\/p>/);
  });
  await withGateway(oidcIni(provider), async gateway => {
    const answer = await fetch(`${gateway.url}/api/messages/login`);
    assert.equal(answer.status, 404);
    assert.equal(((await answer.json()) as { code: number }).code, 404);
  });
});

test('the login message goes into the site’s own template, which must be there', async () => {
  writeFileSync(
    join(folder, 'message.html.j2'),
    '<style>p{color:red}</style><main>{{ message | safe }}</main>{{ other }}',
  );
  writeFileSync(join(folder, 'own.html'), '<article>{{message}}</article>');
  const rendered = '<h1>Welcome</h1>\n<p>to <em>us</em> &lt;b&gt;here&lt;/b&gt;</p>';
  const ui = { message_login: join(folder, 'message.md'), templates: folder };
  const expected = [
    [ui, `<style>p{color:red}</style><main>${rendered}</main>{{ other }}`],
    [{ ...ui, message_template: 'own.html' }, `<article>${rendered}</article>`],
  ] as const;
  for (const [settings, page] of expected) {
    await withGateway(oidcIni(provider, { ui: settings }), async gateway => {
      const answer = await fetch(`${gateway.url}/api/messages/login`);
      assert.equal(await answer.text(), page);
      assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'.*sandbox/);
    });
  }
  const refused = (changes: Record<string, string>, reason: RegExp) =>
    assert.rejects(
      withGateway(oidcIni(provider, { ui: changes }), async () => {}),
      reason,
    );
  await refused({ ...ui, message_template: 'gone.html' }, /message_template: .*gone\.html is no file/);
  await refused({ message_template: 'own.html' }, /message_template: "own.html" is relative/);
  await refused({ templates: join(folder, 'nowhere') }, /templates: .*nowhere is no folder/);
});

test('log_flags and debug_flags choose what is logged, and an unknown flag is a warning', async () => {
  const logged = async (service: Record<string, string>): Promise<string[]> => {
    let sentences: string[] = [];
    await withGateway(oidcIni(provider, { service }), async gateway => {
      await signIn(gateway);
      sentences = gateway.log.map(({ sentence }) => sentence);
    });
    return sentences;
  };
  const answers = 'the identity provider answers';
  const debugged = 'debug: slurmweb: a sign-in by oidc ended: success';
  const quiet = await logged({});
  assert.ok(quiet.includes(answers) && !quiet.includes(debugged), quiet.join('; '));
  assert.ok((await logged({ debug: 'yes' })).includes(debugged));
  const chosen = await logged({ debug: 'yes', debug_flags: 'ldap\nwerkzeug', log_flags: 'ldap\nfrobnicate' });
  assert.ok(!chosen.includes(debugged) && !chosen.includes(answers), chosen.join('; '));
  assert.ok(chosen.some(sentence => sentence.startsWith('[service]>log_flags: frobnicate is unknown')));
});

test('pages that are not built are told, and with [ui] enabled=no there are none', async () => {
  await withGateway(oidcIni(provider), async gateway => {
    const answer = await fetch(`${gateway.url}/`);
    assert.equal(answer.status, 503);
    assert.match(await answer.text(), /npm run build:web/);
  });
  await withGateway(oidcIni(provider, { ui: { enabled: 'no' } }), async gateway => {
    assert.equal((await fetch(`${gateway.url}/`)).status, 404);
    assert.equal((await fetch(`${gateway.url}/config.json`)).status, 200);
  });
});

test('the provider is reached through a proxy where one is configured', async () => {
  let asked = 0;
  const proxy = http.createServer((_request, reply) => void reply.writeHead(400).end());
  proxy.on('connect', (request, socket) => {
    asked += 1;
    const [host = '', port = ''] = (request.url ?? '').split(':');
    const upstream = net.connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on('error', () => socket.destroy());
    socket.on('error', () => upstream.destroy());
  });
  // A plain http request through a proxy names the whole address.
  proxy.removeAllListeners('request');
  proxy.on('request', (request, reply) => {
    asked += 1;
    const onward = http.request(
      request.url ?? '',
      { method: request.method, headers: request.headers },
      answer => {
        reply.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(reply);
      },
    );
    request.pipe(onward);
  });
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  try {
    await withGateway(oidcIni(provider, { oidc: { proxy: `http://127.0.0.1:${port}` } }), async gateway => {
      assert.equal((await signIn(gateway)).login, 'alice');
      assert.ok(asked > 0);
    });
  } finally {
    proxy.closeAllConnections();
    proxy.close();
  }
});
