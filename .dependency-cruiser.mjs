/** The import rules of the house, as README's architecture part states them. */
const only = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });
/** A library that only these files may import. */
const libraryIn = (library, files) =>
  only(
    `${library}-in-one-file`,
    `${library} is imported by ${files} only, so that swapping it is a change in one file`,
    { path: '^(proto|systemd|workers|daemon|edge)/', pathNot: files },
    { path: `(^|node_modules/)${library}(/|$)` },
  );

export default {
  forbidden: [
    only(
      'no-circles',
      'a circle has no floor',
      { path: '^(proto|systemd|workers|daemon|edge)/', pathNot: '^proto/types' },
      { circular: true },
    ),
    only(
      'proto-stands-alone',
      'proto is the ground floor',
      { path: '^proto/' },
      { path: '^(systemd|workers|daemon|edge|test)/' },
    ),
    only(
      'systemd-stands-alone',
      'systemd is the ground floor; sizes and spans are read as in the documents that daemon and workers read',
      { path: '^systemd/' },
      { path: '^(proto|workers|daemon|edge|test)/', pathNot: '^proto/units\\.ts$' },
    ),
    only(
      'workers-know-words-only',
      'workers do; they neither decide nor serve',
      { path: '^workers/' },
      { path: '^(systemd|daemon|edge|test)/|^proto/(rpc|services)\\.ts$' },
    ),
    only('daemon-never-edge', 'they meet on a socket', { path: '^daemon/' }, { path: '^(edge|test)/' }),
    only(
      'daemon-takes-types-of-workers',
      'only what crosses the thread',
      { path: '^daemon/' },
      { path: '^workers/', pathNot: '^workers/job\\.ts$' },
    ),
    only(
      'daemon-takes-types-only',
      'workers/job.ts holds types only',
      { path: '^daemon/' },
      { path: '^workers/job\\.ts$', dependencyTypesNot: ['type-only'] },
    ),
    only(
      'edge-never-daemon-nor-workers',
      'they meet on a socket',
      { path: '^edge/' },
      { path: '^(daemon|workers|test)/' },
    ),
    only(
      'core-is-pure',
      'no library, no disk, no socket',
      { path: '^daemon/core/' },
      { pathNot: '^(daemon/core/|proto/|workers/job\\.ts)' },
    ),
    only(
      'grpc-pool-store-are-strangers',
      'daemon.ts joins them',
      { path: '^daemon/(grpc|pool|store)/' },
      { path: '^daemon/(grpc|pool|store)/', pathNot: '^daemon/$1/' },
    ),
    only(
      'fastify-behind-http-and-routes',
      'the rest of the edge is plain functions',
      { path: '^edge/(control|cli|auth|web)/' },
      { path: 'node_modules/(@fastify|fastify)/' },
    ),
    only(
      'areas-are-strangers',
      'what two areas need lies in edge/http or edge/auth',
      { path: '^edge/(agent|build|draw|gateway)/' },
      { path: '^edge/(agent|build|draw|gateway)/', pathNot: '^edge/$1/' },
    ),
    only(
      'web-talks-http',
      'pages import nothing of the server',
      { path: '^edge/web/' },
      { path: '^(proto|systemd|workers|daemon|edge)/', pathNot: '^edge/web/' },
    ),
    only(
      'shipped-code-needs-no-test',
      'test folders are not shipped',
      { path: '^(proto|systemd|workers|daemon|edge)/' },
      { path: '^test/' },
    ),
    only(
      'no-unlisted-package',
      'package.json names what we use',
      { path: '^(proto|systemd|workers|daemon|edge)/' },
      { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    ),
    libraryIn('@grpc/grpc-js', '^proto/(rpc|services)\\.ts$|^daemon/grpc/server\\.ts$|^proto/types/'),
    libraryIn('piscina', '^daemon/pool/worker-pool\\.ts$'),
    libraryIn('node-pty', '^workers/console/terminal\\.ts$'),
    libraryIn('canvas', '^workers/drawing/ink\\.ts$'),
    libraryIn('openid-client', '^edge/gateway/oidc\\.ts$'),
    libraryIn('ldapts', '^edge/gateway/ldap\\.ts$'),
    libraryIn('yaml', '^proto/document\\.ts$'),
    libraryIn('systemd-notify', '^systemd/notify\\.ts$'),
    only(
      'sqlite-in-one-file',
      'one door to the state',
      { path: '^(proto|systemd|workers|daemon|edge)/', pathNot: '^daemon/store/database\\.ts$' },
      { path: '^(node:)?sqlite$' },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^edge/web/dist' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: 'specify',
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
