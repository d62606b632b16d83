/** The syntax tree of a template: plain data, made by the parser, checked by the guard, run by the machine. */
import type { Value } from './values.ts';

/** Arguments as they are written in a call. */
export interface Given {
  readonly positional: readonly Expression[];
  readonly named: readonly (readonly [name: string, value: Expression])[];
  /** `*list` and `**mapping`. */
  readonly spread: Expression | null;
  readonly spreadNamed: Expression | null;
}

export interface FilterCall {
  readonly type: 'filter';
  /** None where a block is what is filtered. */
  readonly target: Expression | null;
  readonly name: string;
  readonly given: Given;
  readonly line: number;
}

export interface Call {
  readonly type: 'call';
  readonly target: Expression;
  readonly given: Given;
  readonly line: number;
}

export type Expression = { readonly line: number } & (
  | { readonly type: 'constant'; readonly value: Value }
  | { readonly type: 'name'; readonly name: string }
  | { readonly type: 'list' | 'tuple' | 'concat'; readonly items: readonly Expression[] }
  | { readonly type: 'dict'; readonly pairs: readonly (readonly [Expression, Expression])[] }
  | { readonly type: 'member'; readonly target: Expression; readonly name: string }
  | { readonly type: 'item'; readonly target: Expression; readonly key: Expression }
  | {
      readonly type: 'slice';
      readonly target: Expression;
      readonly start: Expression | null;
      readonly stop: Expression | null;
      readonly step: Expression | null;
    }
  | Call
  | FilterCall
  | { readonly type: 'test'; readonly target: Expression; readonly name: string; readonly given: Given }
  | { readonly type: 'not' | 'negative' | 'positive'; readonly operand: Expression }
  | { readonly type: 'and' | 'or'; readonly left: Expression; readonly right: Expression }
  | {
      readonly type: 'binary';
      readonly operator: string;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly type: 'compare';
      readonly first: Expression;
      readonly rest: readonly { readonly operator: string; readonly operand: Expression }[];
    }
  | {
      readonly type: 'choice';
      readonly test: Expression;
      readonly chosen: Expression;
      readonly otherwise: Expression | null;
    }
);

/** What may stand left of an assignment. */
export type Target =
  | { readonly type: 'name'; readonly name: string; readonly line: number }
  | { readonly type: 'targets'; readonly items: readonly Target[]; readonly line: number }
  | { readonly type: 'attribute'; readonly name: string; readonly attribute: string; readonly line: number };

export interface Parameter {
  readonly name: string;
  readonly fallback: Expression | null;
}

export interface Macro {
  readonly type: 'macro';
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly body: readonly Statement[];
  /** Which of the words `varargs`, `kwargs` and `caller` its body uses, and thereby takes. */
  readonly takes: ReadonlySet<string>;
  readonly line: number;
}

export interface For {
  readonly type: 'for';
  readonly target: Target;
  readonly items: Expression;
  readonly condition: Expression | null;
  readonly recursive: boolean;
  readonly body: readonly Statement[];
  readonly otherwise: readonly Statement[];
  readonly line: number;
}

export type Statement =
  | For
  | Macro
  | ({ readonly line: number } & (
      | { readonly type: 'text'; readonly text: string }
      | { readonly type: 'output'; readonly value: Expression }
      | {
          readonly type: 'if';
          readonly branches: readonly (readonly [test: Expression, body: readonly Statement[]])[];
          readonly otherwise: readonly Statement[];
        }
      | { readonly type: 'set'; readonly target: Target; readonly value: Expression }
      | {
          readonly type: 'capture';
          readonly target: Target;
          readonly filter: FilterCall | null;
          readonly body: readonly Statement[];
        }
      | { readonly type: 'call-block'; readonly call: Call; readonly caller: Macro }
      | { readonly type: 'filter-block'; readonly filter: FilterCall; readonly body: readonly Statement[] }
      | {
          readonly type: 'with';
          readonly pairs: readonly (readonly [Target, Expression])[];
          readonly body: readonly Statement[];
        }
    ));
