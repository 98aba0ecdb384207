/** Who may import whom. ARCHITECTURE.md draws the same picture. */
const inModules = '^server/src/modules/([^/]+)/';

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    // Between folders too, so that the modules have an order.
    { name: 'modules-form-a-dag', severity: 'error', scope: 'folder', from: { path: '^server/src/' }, to: { circular: true } },
    { name: 'no-orphans', severity: 'error', from: { orphan: true, pathNot: '^server/src/(main|cli|witness)[.]ts$' }, to: {} },
    {
      name: 'contract-imports-nothing',
      severity: 'error',
      from: { path: '^server/src/contract/' },
      to: { path: '^server/src/', pathNot: '^server/src/contract/' },
    },
    {
      name: 'contract-does-no-io',
      severity: 'error',
      from: { path: '^server/src/contract/' },
      to: { path: '^(pg|fastify|graphile-worker|pino)($|/)|^node:(fs|net|http)|^(fs|net|http)$' },
    },
    {
      name: 'platform-below-all-but-contract',
      severity: 'error',
      from: { path: '^server/src/platform/' },
      to: { path: '^server/src/', pathNot: '^server/src/(contract|platform)/' },
    },
    {
      name: 'http-below-modules',
      severity: 'error',
      from: { path: '^server/src/http/' },
      to: { path: '^server/src/', pathNot: '^server/src/(contract|platform|http)/' },
    },
    {
      // Modules name the services they need as types of their own; the composition root alone knows them all.
      name: 'modules-below-the-composition-root',
      severity: 'error',
      from: { path: inModules },
      to: { path: '^server/src/[a-z-]+[.]ts$' },
    },
    {
      // Only what speaks HTTP may know http/: routes, the requests that two of them share, and pages.
      name: 'use-cases-know-no-http',
      severity: 'error',
      from: { path: inModules, pathNot: '/[a-z-]*(routes|requests|pages)[.]ts$|^server/src/modules/(documentation|web)/' },
      to: { path: '^server/src/http/' },
    },
    {
      name: 'stores-are-private',
      severity: 'error',
      from: { path: '^server/src/', pathNot: inModules },
      to: { path: '^server/src/modules/[^/]+/[a-z-]*store[.]ts$' },
    },
    {
      name: 'stores-are-private-between-modules',
      severity: 'error',
      from: { path: inModules },
      to: { path: '^server/src/modules/[^/]+/([a-z-]*store|routes)[.]ts$', pathNot: '^server/src/modules/$1/' },
    },
    {
      name: 'only-the-route-table-knows-routes',
      severity: 'error',
      from: { path: '^server/src/', pathNot: '^server/src/app[.]ts$' },
      to: { path: '^server/src/modules/[^/]+/routes[.]ts$' },
    },
    {
      name: 'stores-are-the-bottom-of-a-module',
      severity: 'error',
      from: { path: '/[a-z-]*store[.]ts$' },
      to: { path: '^server/src/(modules/[^/]+/routes|context|app|service)[.]ts$' },
    },
    {
      name: 'messages-knows-nothing-of-what-follows',
      severity: 'error',
      from: { path: '^server/src/modules/messages/' },
      to: { path: '^server/src/modules/(webhooks|mail)/' },
    },
    {
      name: 'settings-and-database-below-the-composition-root',
      severity: 'error',
      from: { path: '^server/src/(config|open-database)[.]ts$' },
      to: { path: '^server/src/', pathNot: '^server/src/((contract|platform)/|config[.]ts$)' },
    },
    {
      name: 'composition-root-below-the-route-table',
      severity: 'error',
      from: { path: '^server/src/(context|followers|chores|bucket|samples)[.]ts$' },
      to: { path: '^server/src/(app|service|processes|welcome|waybill|main|cli|witness|command|log-commands)[.]ts$' },
    },
    {
      name: 'route-table-below-service-and-programs',
      severity: 'error',
      from: { path: '^server/src/(app|service)[.]ts$' },
      to: { path: '^server/src/(service|processes|welcome|waybill|main|cli|witness|command|log-commands)[.]ts$' },
    },
    {
      name: 'only-waybill-ts-knows-the-command',
      severity: 'error',
      from: { path: '^server/src/', pathNot: '^server/src/waybill[.]ts$' },
      to: { path: '^packages/cli/|^@waybill/cli$' },
    },
    {
      name: 'platform-and-http-know-no-packages-of-ours',
      severity: 'error',
      from: { path: '^server/src/(platform|http)/' },
      to: { path: '^(packages|@waybill)/' },
    },
    {
      name: 'contract-knows-proof-only',
      severity: 'error',
      from: { path: '^server/src/contract/' },
      to: { path: '^(packages|@waybill)/', pathNot: '^@waybill/proof$' },
    },
    {
      name: 'client-imports-nothing',
      severity: 'error',
      from: { path: '^packages/client/src/', pathNot: '^packages/client/src/node[.]ts$' },
      to: { pathNot: '^packages/client/src/' },
    },
    {
      name: 'client-for-node-imports-node-only',
      severity: 'error',
      from: { path: '^packages/client/src/node[.]ts$' },
      to: { pathNot: '^packages/client/src/', dependencyTypesNot: ['core'] },
    },
    {
      name: 'proof-imports-the-client-only',
      severity: 'error',
      from: { path: '^packages/proof/src/' },
      to: { pathNot: '^packages/proof/src/|^@waybill/client$' },
    },
    {
      name: 'documents-imports-the-client-and-saxes-only',
      severity: 'error',
      from: { path: '^packages/documents/src/' },
      to: { pathNot: '^packages/documents/src/|^@waybill/client$|^node_modules/saxes/' },
    },
    {
      name: 'mcp-knows-client-and-proof',
      severity: 'error',
      from: { path: '^packages/mcp/src/' },
      to: { path: '^(server|web|packages|@waybill)/', pathNot: '^packages/mcp/src/|^@waybill/(client|proof)$' },
    },
    {
      name: 'command-knows-client-proof-and-mcp',
      severity: 'error',
      from: { path: '^packages/cli/src/' },
      to: { path: '^(server|web|packages|@waybill)/', pathNot: '^packages/cli/src/|^@waybill/(client(/node)?|proof|mcp)$' },
    },
    {
      name: 'no-undeclared-packages',
      severity: 'error',
      from: { path: '^server/src/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    parser: 'swc',
    enhancedResolveOptions: { extensions: ['.ts', '.js'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
