/** The policy: roles from users and groups, actions with inclusion, faults by line. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PolicyRules, readPolicy, type Subject } from '../../../proto/policy.ts';
import { ACTIONS } from '../../../proto/words.ts';
import { parseIni } from '../../../systemd/ini.ts';

const RULES: PolicyRules = {
  canonical: action => ((ACTIONS as readonly string[]).includes(action) ? action : null),
  anonymousForAll: true,
  sectionsRequired: false,
};

const DEFAULT = `[roles]
anonymous
users=@rackwright,jane
Admins = @rackwright-admins , root

[anonymous]
actions=view-pipeline,view-registry
[users]
actions=build, edit-registry
[admins]
actions=@users,manage-token
`;

function somebody(login: string | null, ...groups: string[]): Subject {
  return { login, inGroup: name => groups.includes(name) };
}

function read(text: string, rules: PolicyRules = RULES) {
  return readPolicy(parseIni(text, 'policy.ini'), rules);
}

test('a caller without credential has the anonymous role and nothing else', () => {
  const { policy } = read(DEFAULT);
  assert.deepEqual(policy?.rolesOf(somebody(null, 'rackwright')), ['anonymous']);
  assert.deepEqual(policy?.actionsOf(somebody(null)), ['view-pipeline', 'view-registry']);
});

test('users and groups give roles, roles include others, anonymous is for everybody', () => {
  const { policy } = read(DEFAULT);
  assert.equal(policy?.permits(somebody('jane'), 'build'), true);
  assert.equal(policy?.permits(somebody('jane'), 'manage-token'), false);
  assert.equal(policy?.permits(somebody('joe'), 'view-registry'), true);
  assert.equal(policy?.permits(somebody('joe'), 'build'), false);
  assert.deepEqual(policy?.actionsOf(somebody('ann', 'rackwright-admins')), [
    'build',
    'edit-registry',
    'manage-token',
    'view-pipeline',
    'view-registry',
  ]);
  assert.deepEqual(policy?.groups, ['rackwright', 'rackwright-admins']);
});

test('without an anonymous line those without credential may do nothing', () => {
  const { policy } = read('[roles]\nusers=jane\n[users]\nactions=build\n');
  assert.deepEqual(policy?.actionsOf(somebody(null)), []);
  assert.deepEqual(policy?.actionsOf(somebody('joe')), []);
});

test('an agent keeps anonymous apart and knows ALL', () => {
  const rules = { ...RULES, anonymousForAll: false, sectionsRequired: true };
  const { policy } = read(
    '[roles]\nanonymous\nuser=ALL\n[anonymous]\nactions=view-task\n[user]\nactions=build\n',
    rules,
  );
  assert.deepEqual(policy?.rolesOf(somebody('joe')), ['user']);
  assert.deepEqual(policy?.rolesOf(somebody(null)), ['anonymous']);
});

test('every fault is told at once, with its line', () => {
  const { policy, faults } = read(
    '[roles]\nusers=jane\nloop=x\n[users]\nactions=build,fly\n[loop]\nactions=@loop,@nobody\nmembers=y\n[stray]\nactions=build\n',
  );
  assert.equal(policy, null);
  assert.deepEqual(
    faults.map(fault => [fault.section, fault.line, fault.message]),
    [
      ['loop', 8, 'unknown key; a role has "actions"'],
      ['stray', 0, 'is no role of [roles]'],
      ['users', 5, 'unknown action fly'],
      ['loop', 7, 'includes itself: loop, loop'],
      ['loop', 7, 'includes the unknown role nobody'],
    ],
  );
});

test('an agent refuses roles without a section', () => {
  const { faults } = read('[roles]\nusers=jane\n', { ...RULES, sectionsRequired: true });
  assert.deepEqual(
    faults.map(fault => fault.message),
    ['the section [users] is missing'],
  );
});
