/** Views of the inventory over gRPC. */
import type { ViewAnswer, ViewRequest } from '../../proto/renderer.ts';
import type { Handlers } from '../../proto/services.ts';
import type { Finding } from '../../proto/tree.ts';

/** Who knows the inventory. */
export interface Inventories {
  view(request: ViewRequest): Promise<ViewAnswer>;
  /** What is served since when, and the faults of a newer state that was refused. */
  status(): {
    readonly served: { readonly loaded: number; readonly findings: readonly Finding[] } | null;
    readonly faults: readonly Finding[];
  };
}

/** Bytes of one message of the answer. */
const PIECE = 1024 * 1024;

export function inventoryService(inventories: Inventories): Handlers<'InventoryService'> {
  return {
    async *getView({ view, filters, format }) {
      const answer = await inventories.view({ view, filters, format: format === 'yaml' ? 'yaml' : 'json' });
      const bytes = Buffer.from(answer.body.buffer, answer.body.byteOffset, answer.body.length);
      for (let at = 0; at === 0 || at < bytes.length; at += PIECE) {
        const head = at === 0;
        yield {
          json: bytes.subarray(at, at + PIECE),
          mediaType: head ? answer.mediaType : '',
          database: head ? answer.database : '',
        };
      }
    },
    getStatus: async () => {
      const { served, faults } = inventories.status();
      const warnings = served?.findings.filter(finding => finding.level === 'warning') ?? [];
      return {
        status: {
          loaded: served?.loaded ?? 0,
          faults: faults.map(sentence),
          warnings: warnings.map(sentence),
        },
      };
    },
  };
}

/** `FILE:LINE:COLUMN: PATH: MESSAGE`. */
function sentence({ file, line, column, path, message }: Finding): string {
  const where = line > 0 ? `${file}:${line}:${column}` : file;
  return `${where}: ${path === '' ? '' : `${path}: `}${message}`;
}
