/** The real nginx on a loopback port, as an ordinary user runs it too. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listening } from './until.ts';

export interface Nginx {
  close(): Promise<void>;
}

/** Runs it with what stands in its `http` block, in which a server listens on the port. */
export async function runNginx(port: number, http: string): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'rackwright-nginx-'));
  const conf = join(folder, 'nginx.conf');
  writeFileSync(
    conf,
    `pid ${folder}/pid; error_log ${folder}/error.log warn; worker_processes 1; daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 512; }
http {
  access_log off; client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f;
  uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
  ${http}
}
`,
  );
  const child = spawn('nginx', ['-c', conf], { stdio: 'ignore' });
  const ended = new Promise<void>(resolve => {
    child.once('close', () => resolve());
    child.once('error', () => resolve());
  });
  await listening(port, 'nginx');
  return {
    close: async () => {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
