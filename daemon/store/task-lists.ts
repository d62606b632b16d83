/** Pages of tasks, read by index: a page costs the same however many tasks there are. */
import { Fault } from '../../proto/fault.ts';
import type { Task, TaskResult, TaskState } from '../core/task.ts';
import type { Database, SqlValue } from './database.ts';

/** Tasks on one page at most, and unless told. */
const MAX_PAGE = 1000;
const USUAL_PAGE = 100;
/** Characters of records after which a page ends: with long messages a full one were larger than any answer may be. */
const MAX_RECORDS = 1024 * 1024;

export interface TaskFilter {
  readonly instance: string;
  /**
   * Empty = all, then in the order running (the first one started first), pending (the next one first), finished (the
   * newest first).
   */
  readonly states: readonly TaskState[];
  /** Empty = any. */
  readonly name: string;
  readonly artifact: string;
  readonly user: string;
  readonly result: TaskResult | '';
  /** 0 = 100. */
  readonly limit: number;
  /** `next` of an earlier page. */
  readonly after: string;
}

export interface TaskPage {
  readonly tasks: readonly Task[];
  /** Empty when there is no more. */
  readonly next: string;
}

const ORDER: readonly TaskState[] = ['running', 'pending', 'finished'];

/**
 * Where the tasks of a state are and by which two values they stand in order. Few run at once, so that the time of their
 * start is read from their records.
 */
const TABLES: Readonly<Record<TaskState, { from: string; first: string; second: string; down?: true }>> = {
  running: { from: 'live', first: "json_extract(record, '$.started')", second: 'rank' },
  pending: { from: 'live', first: 'urgency', second: 'rank' },
  finished: { from: 'archive', first: 'seq', second: '0', down: true },
};

type Row = { record: string; first: number; second: number };

export class TaskLists {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** One page. Throws `invalid` for a bad limit or position. */
  page(filter: TaskFilter): TaskPage {
    const limit = filter.limit === 0 ? USUAL_PAGE : filter.limit;
    if (limit < 1 || limit > MAX_PAGE) throw new Fault('invalid', 'bad-input', `limit is 1 to ${MAX_PAGE}`);
    const states = ORDER.filter(state => filter.states.length === 0 || filter.states.includes(state));
    const from = filter.after === '' ? null : readPosition(filter.after);
    const tasks: Task[] = [];
    let last = '';
    let size = 0;
    for (const state of states) {
      if (from && ORDER.indexOf(state) < ORDER.indexOf(from.state)) continue;
      const position = from?.state === state ? from : null;
      for (const row of this.#rows(state, filter, position, limit + 1 - tasks.length)) {
        if (tasks.length === limit || size > MAX_RECORDS) return { tasks, next: last };
        tasks.push(JSON.parse(row.record) as Task);
        size += row.record.length;
        last = `${state}:${row.first}:${row.second}`;
      }
    }
    return { tasks, next: '' };
  }

  /** Archived tasks of an instance, newest first. */
  *archived(instance: string): Generator<Task> {
    const sql = 'SELECT record FROM archive WHERE instance = ? ORDER BY seq DESC';
    for (const row of this.#database.prepare(sql).iterate<{ record: string }>(instance)) {
      yield JSON.parse(row.record) as Task;
    }
  }

  #rows(state: TaskState, filter: TaskFilter, after: Position | null, limit: number): Iterable<Row> {
    const finished = state === 'finished';
    const where: string[] = ['instance = ?'];
    const values: SqlValue[] = [filter.instance];
    const add = (sql: string, ...more: SqlValue[]): void => {
      where.push(sql);
      values.push(...more);
    };
    if (!finished) add('state = ?', state);
    if (filter.name !== '') add('name = ?', filter.name);
    if (filter.artifact !== '') add('artifact = ?', filter.artifact);
    if (filter.user !== '') add('user = ?', filter.user);
    if (filter.result !== '') {
      if (!finished) return [];
      add('result = ?', filter.result);
    }
    const { from, first, second, down } = TABLES[state];
    if (after && down) add(`${first} < ?`, after.first);
    if (after && !down) add(`(${first}, ${second}) > (?, ?)`, after.first, after.second);
    const order = down ? `${first} DESC` : `${first}, ${second}`;
    const sql = `SELECT record, ${first} AS first, ${second} AS second FROM ${from}
      WHERE ${where.join(' AND ')} ORDER BY ${order} LIMIT ?`;
    return this.#database.prepare(sql).iterate<Row>(...values, limit);
  }
}

interface Position {
  readonly state: TaskState;
  readonly first: number;
  readonly second: number;
}

function readPosition(text: string): Position {
  const match = /^(running|pending|finished):(-?\d{1,15}(?:\.\d{1,20})?):(-?\d{1,15})$/.exec(text);
  if (!match) throw new Fault('invalid', 'bad-input', '"after" is no position of an earlier answer');
  return { state: match[1] as TaskState, first: Number(match[2]), second: Number(match[3]) };
}
