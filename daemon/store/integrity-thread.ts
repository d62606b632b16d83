/** The thread that looks at a whole state database while the daemon serves. */
import { parentPort, workerData } from 'node:worker_threads';
import { findDamage } from './database.ts';
import type { Found } from './integrity.ts';

parentPort?.postMessage({ damage: findDamage(workerData) } satisfies Found);
