/** Formats and distributions that the user left out. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Formats } from '../../../../edge/cli/api.ts';
import { choosePipeline } from '../../../../edge/cli/choose.ts';
import { UsageError } from '../../../../edge/cli/exit.ts';

const pipeline = (distribution: string) => ({
  distribution,
  environment: distribution,
  derivatives: ['main'],
});
const formats: Formats = { deb: [pipeline('bookworm'), pipeline('trixie')], rpm: [pipeline('el9')] };
const chosen = (wish: Parameters<typeof choosePipeline>[1]) => {
  const { format, pipeline } = choosePipeline(formats, wish);
  return `${format} ${pipeline.distribution}`;
};

test('a distribution tells its format', () => {
  assert.equal(chosen({ distribution: 'trixie' }), 'deb trixie');
  assert.equal(chosen({ distribution: 'el9', among: ['deb', 'rpm'] }), 'rpm el9');
});

test("a format alone means its only distribution, neither means the artifact's only format", () => {
  assert.equal(chosen({ format: 'rpm' }), 'rpm el9');
  assert.equal(chosen({ among: ['rpm'] }), 'rpm el9');
});

test('several to choose from are a usage error that lists them', () => {
  assert.throws(
    () => chosen({ among: ['deb'] }),
    (error: unknown) => error instanceof UsageError && /bookworm \(deb\), trixie \(deb\)/.test(error.message),
  );
});

test('a misspelt distribution is answered with the nearest and all there are', () => {
  assert.throws(
    () => chosen({ distribution: 'bokworm' }),
    /no distribution bokworm \(did you mean bookworm\?\); there is bookworm, trixie, el9/,
  );
  assert.throws(() => chosen({ format: 'dev' }), /builds no dev \(did you mean deb\?\); it builds deb, rpm/);
});

test('a format that the artifact is not defined for is told before anything is sent', () => {
  assert.throws(() => chosen({ distribution: 'el9', among: ['deb'] }), /defined for deb, not for rpm/);
});
