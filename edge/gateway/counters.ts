/** Counts how sign-ins end, by method and code, for the log's reader and the metrics collector. */

export class Counters {
  private readonly counts = new Map<string, number>();
  private readonly told: (method: string, result: string) => void;

  /** `told` hears of each sign-in as well. */
  constructor(told: (method: string, result: string) => void = () => undefined) {
    this.told = told;
  }

  add(method: string, result: string): void {
    const key = `${method}\0${result}`;
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
    this.told(method, result);
  }

  get(method: string, result: string): number {
    return this.counts.get(`${method}\0${result}`) ?? 0;
  }

  /** Prometheus text format 0.0.4. Labels are our own words, so nothing needs escaping. */
  toText(): string {
    const lines = [
      '# HELP rackwright_gateway_sign_ins_total Sign-ins by method and how they ended.',
      '# TYPE rackwright_gateway_sign_ins_total counter',
    ];
    for (const [key, count] of [...this.counts].sort()) {
      const [method, result] = key.split('\0');
      lines.push(`rackwright_gateway_sign_ins_total{method="${method}",result="${result}"} ${count}`);
    }
    return `${lines.join('\n')}\n`;
  }
}
