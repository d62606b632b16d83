/** How metrics are sent: in the text form and coding that the scraper asks for, and never kept by anybody. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

export type Exposition = 'openmetrics-1.0.0' | 'openmetrics-0.0.1' | 'text-0.0.4';

const CONTENT_TYPES: Readonly<Record<Exposition, string>> = {
  'openmetrics-1.0.0': 'application/openmetrics-text; version=1.0.0; charset=utf-8',
  'openmetrics-0.0.1': 'application/openmetrics-text; version=0.0.1; charset=utf-8',
  'text-0.0.4': 'text/plain; version=0.0.4; charset=utf-8',
};

/** Chooses by an Accept header's weights; the old text format for whoever does not ask for OpenMetrics. */
export function negotiate(accept: string | undefined): Exposition {
  let best: { exposition: Exposition; weight: number } = { exposition: 'text-0.0.4', weight: -1 };
  for (const range of (accept ?? '').slice(0, 4096).split(',')) {
    const [type = '', ...parameters] = range.split(';').map(part => part.trim().toLowerCase());
    const parameter = (name: string): string | undefined =>
      parameters.find(part => part.startsWith(`${name}=`))?.slice(name.length + 1);
    const weight = Number(parameter('q') ?? 1);
    if (!(weight > 0)) continue;
    let exposition: Exposition;
    if (type === 'application/openmetrics-text') {
      exposition = parameter('version') === '0.0.1' ? 'openmetrics-0.0.1' : 'openmetrics-1.0.0';
    } else if (type === 'text/plain' || type === 'text/*' || type === '*/*') exposition = 'text-0.0.4';
    else continue;
    const newer =
      weight === best.weight && exposition === 'openmetrics-1.0.0' && best.exposition === 'openmetrics-0.0.1';
    if (weight > best.weight || newer) best = { exposition, weight };
  }
  return best.exposition;
}

const compress = promisify(gzip);

export async function sendMetrics(
  request: FastifyRequest,
  reply: FastifyReply,
  exposition: Exposition,
  text: string,
): Promise<FastifyReply> {
  void reply.headers({
    'content-type': CONTENT_TYPES[exposition],
    vary: 'Accept, Accept-Encoding',
    'cache-control': 'no-store',
  });
  if (!/\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(request.headers['accept-encoding'] ?? '')) {
    return reply.send(Buffer.from(text, 'utf8'));
  }
  return reply.header('content-encoding', 'gzip').send(await compress(text, { level: 1 }));
}
