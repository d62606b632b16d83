/** The alert rules of the docs: promtool finds them valid, and each fires when it should and for that cluster only. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const RULES = fileURLToPath(new URL('../../../docs/examples/monitoring/alerts.yml', import.meta.url));

/** Series of a cluster in trouble and of one that is well, as promtool writes them: value, step, repetitions. */
const TROUBLE: Readonly<Record<string, Readonly<Record<string, readonly [number, number]>>>> = {
  ClusterAgentDown: { 'up{}': [0, 1] },
  ClusterCollectionFailing: {
    'rackwright_collector_up{}': [0, 1],
    'rackwright_collector_age_seconds{}': [90, 5],
  },
  NodesDown: { 'slurm_nodes{state="down"}': [6, 5], 'slurm_nodes_total{}': [100, 100] },
  NodesFailing: { 'slurm_nodes{state="fail"}': [1, 0] },
  QueueStuck: { 'slurm_jobs{state="pending"}': [5, 5], 'slurm_jobs{state="running"}': [0, 5] },
  LongWaits: {
    'slurm_job_wait_seconds_bucket{le="86400.0"}': [50, 95],
    'slurm_job_wait_seconds_bucket{le="259200.0"}': [100, 100],
    'slurm_job_wait_seconds_bucket{le="+Inf"}': [100, 100],
  },
};

function seriesOf(alert: string): { series: string; values: string }[] {
  return Object.entries(TROUBLE[alert] ?? {}).flatMap(([name, values]) =>
    ['ill', 'well'].map((instance, at) => {
      const labels = `job="slurm",instance="${instance}"`;
      const series = name.endsWith('{}') ? name.replace('}', `${labels}}`) : name.replace('}', `,${labels}}`);
      return { series, values: `${values[at]}x120` };
    }),
  );
}

test('each alert of the examples fires for the cluster in trouble, and not for the other', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rwalerts-'));
  const promtool = (...words: string[]): string =>
    execFileSync('promtool', words, { encoding: 'utf8', stdio: 'pipe' });
  try {
    assert.match(promtool('check', 'rules', RULES), /SUCCESS: \d+ rules found/);
    const alerts = [...readFileSync(RULES, 'utf8').matchAll(/- alert: (\w+)/g)].map(match => match[1] ?? '');
    assert.deepEqual([...alerts].sort(), Object.keys(TROUBLE).sort());
    for (const alert of alerts) {
      const file = join(folder, `${alert}.json`);
      writeFileSync(file, JSON.stringify({ rule_files: [RULES], tests: [probe(alert)] }));
      // promtool shows what fired instead of nothing, labels and texts included.
      assert.throws(
        () => promtool('test', 'rules', file),
        (error: { stdout?: string; stderr?: string }) => {
          const said = `${error.stdout}${error.stderr}`;
          assert.match(said, /instance="ill"/, said);
          assert.doesNotMatch(said, /instance="well"/, said);
          return true;
        },
        alert,
      );
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** After an hour and three quarters every "for" has passed. */
function probe(alert: string): object {
  return {
    interval: '1m',
    input_series: seriesOf(alert),
    alert_rule_test: [{ eval_time: '105m', alertname: alert, exp_alerts: [] }],
  };
}
