/** Strict readers of metrics that are not ours: promtool, and the parsers of Prometheus' Python client. */
import { execFile } from 'node:child_process';

/** What promtool says of the text format 0.0.4, empty when it has no complaint. */
export function promtoolOn(text: string): Promise<string> {
  return run('promtool', ['check', 'metrics'], text);
}

/** The families as the parser reads them; throws what it complains of. */
export async function readStrictly(text: string, format: 'openmetrics' | 'text'): Promise<readonly Parsed[]> {
  const parser = format === 'openmetrics' ? 'openmetrics.parser' : 'parser';
  const lines = [
    'import json, sys',
    `from prometheus_client.${parser} import text_string_to_metric_families as read`,
    'found = [[f.name, f.type, [[s.name, s.labels, s.value] for s in f.samples]]',
    '    for f in read(sys.stdin.buffer.read().decode("utf-8"))]',
    'print(json.dumps(found))',
  ];
  const families = JSON.parse(await run('/usr/bin/python3', ['-c', lines.join('\n')], text)) as [
    string,
    string,
    [string, Record<string, string>, number][],
  ][];
  return families.map(([name, type, samples]) => ({
    name,
    type,
    samples: samples.map(([sample, labels, value]) => ({ name: sample, labels, value })),
  }));
}

export interface Parsed {
  readonly name: string;
  readonly type: string;
  readonly samples: readonly {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly value: number;
  }[];
}

/** Without blocking: what is asked about may live in this process, and be scraped meanwhile. */
function run(command: string, words: readonly string[], input: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(command, words, { maxBuffer: 1 << 26 }, (error, stdout, stderr) =>
      error ? reject(new Error(`${command}: ${stderr || error.message}`)) : resolve((stdout + stderr).trim()),
    );
    child.stdin?.end(input);
  });
}
