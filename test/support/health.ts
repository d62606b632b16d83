/** Asks by the health protocol of gRPC, as monitoring does: by its published definition. */
import { join } from 'node:path';
import * as grpc from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

const PROTO = join(import.meta.dirname, '../../node_modules/grpc-health-check/proto/health/v1/health.proto');

/** Milliseconds until a call is given up; where nobody listens it fails at once. */
const PATIENCE = 60_000;

export interface Health {
  /** The status of a service, all of them unless named. Rejects with gRPC's error. */
  check(service?: string): Promise<string>;
  close(): void;
}

export function healthOf(socket: string): Health {
  const { 'grpc.health.v1.Health': definition } = loadSync(PROTO, { enums: String });
  const Client = grpc.makeGenericClientConstructor(definition as grpc.ServiceDefinition, 'Health');
  const backoff = { 'grpc.initial_reconnect_backoff_ms': 100, 'grpc.max_reconnect_backoff_ms': 500 };
  const client = new Client(`unix:${socket}`, grpc.credentials.createInsecure(), backoff);
  type Check = (
    request: object,
    metadata: grpc.Metadata,
    options: grpc.CallOptions,
    done: (error: Error | null, answer?: { status: string }) => void,
  ) => void;
  const check = (client as unknown as { check: Check }).check.bind(client);
  return {
    check: (service = '') =>
      new Promise((resolve, reject) => {
        check({ service }, new grpc.Metadata(), { deadline: Date.now() + PATIENCE }, (error, answer) =>
          error ? reject(error) : resolve(answer?.status ?? ''),
        );
      }),
    close: () => client.close(),
  };
}
