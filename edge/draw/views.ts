/** The views of the inventory: datacenters, infrastructures, nodes, racks, tags, schema, dump, diagnostics. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../http/problem.ts';
import { type DrawDeps, queryOf } from './deps.ts';
import { viewSchema } from './schemas.ts';

export const VIEWS = [
  'datacenters',
  'infrastructures',
  'nodes',
  'racks',
  'tags',
  'schema',
  'dump',
  'diagnostics',
] as const;

/** Adds the routes. `hidden` leaves them out of the interface's description. */
export function addViews(app: FastifyInstance, deps: DrawDeps, hidden: boolean): void {
  for (const view of VIEWS) {
    const schema = hidden ? { hide: true } : viewSchema(view);
    app.get(`/${view}`, { schema }, (request, reply) => show(view, request, reply, deps));
  }
}

async function show(
  view: string,
  request: FastifyRequest,
  reply: FastifyReply,
  { inventories }: DrawDeps,
): Promise<FastifyReply> {
  const query = queryOf(request.raw.url ?? '');
  const format = query.get('format') ?? accepted(request.headers.accept);
  if (format !== 'json' && format !== 'yaml') throw new Refusal(400, `Unsupported format ${format}`);
  const values = new Map<string, string[]>();
  for (const [name, value] of query) {
    const earlier = values.get(name);
    if (earlier) earlier.push(value);
    else values.set(name, [value]);
  }
  values.delete('format');
  const filters = Object.fromEntries([...values].map(([name, all]) => [name, all.join(',')]));
  const pieces: Buffer[] = [];
  let [mediaType, database] = ['application/json', ''];
  for await (const piece of inventories.getView({ view, filters, format })) {
    if (piece.mediaType !== '') [mediaType, database] = [piece.mediaType, piece.database];
    pieces.push(Buffer.from(piece.json));
  }
  return reply
    .header('content-type', mediaType)
    .header('cache-control', 'no-cache')
    .header('x-content-type-options', 'nosniff')
    .header('x-database-version', database)
    .send(Buffer.concat(pieces));
}

/** The format that a client would rather have; JSON unless YAML is asked for before it. */
function accepted(header: string | undefined): 'json' | 'yaml' {
  const ranked = (header ?? '')
    .split(',')
    .map((part, index) => {
      const [type = '', ...parameters] = part.split(';').map(word => word.trim().toLowerCase());
      const q = parameters.find(word => word.startsWith('q='));
      return { type, index, q: q === undefined ? 1 : Number(q.slice(2)) || 0 };
    })
    .filter(({ q }) => q > 0)
    .sort((a, b) => b.q - a.q || a.index - b.index);
  for (const { type } of ranked) {
    if (type === 'application/json' || type === '*/*' || type === 'application/*') return 'json';
    if (type === 'application/x-yaml' || type === 'application/yaml') return 'yaml';
  }
  return 'json';
}
