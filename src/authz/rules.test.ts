import { describe, expect, it } from 'vitest';
import type { Attributes, PolicyRule } from '../k8s/rbac.ts';
import { compileRule, readRules } from './rules.ts';

function rule(part: Partial<PolicyRule>): PolicyRule {
  return { verbs: [], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [], ...part };
}

/** `get apps/deployments/scale web/one`: verb, group/resource[/subresource], [namespace]/name. */
function ask(text: string): Attributes {
  const [verb = '', what = '', where = '/'] = text.split(' ');
  if (what.startsWith('/')) return { isResource: false, verb, path: what };
  const [group = '', resource = '', subresource = ''] = what.split('|');
  const [namespace = '', name = ''] = where.split('/');
  return { isResource: true, verb, group, resource, subresource, namespace, name };
}

const pods = rule({ verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] });
const all = rule({ verbs: ['*'], apiGroups: ['*'], resources: ['*'] });
const named = rule({ verbs: ['*'], apiGroups: [''], resources: ['pods', 'pods/log'], resourceNames: ['one'] });
const scale = rule({ verbs: ['update'], apiGroups: ['*'], resources: ['*/scale'] });
const podsStar = rule({ verbs: ['get'], apiGroups: [''], resources: ['pods/*'] });
const urls = rule({ verbs: ['get'], nonResourceURLs: ['/api', '/apis/*', '/metrics**', '/a*b'] });
const anyUrl = rule({ verbs: ['get'], nonResourceURLs: ['*'] });
const cases: [string, PolicyRule, string, boolean][] = [
  ['its verb', pods, 'get |pods', true],
  ['another verb', pods, 'watch |pods', false],
  ['another group', pods, 'get apps|pods', false],
  ['another resource', pods, 'get |secrets', false],
  ['a subresource is not its parent', pods, 'get |pods|log', false],
  ['the rest of a name is not it', pods, 'get |pod', false],
  ['everything', all, 'frob x.y|zs|sub a/b', true],
  ['everything is resources only', all, 'get /api', false],
  ['its name', named, 'get |pods web/one', true],
  ['its name, subresource', named, 'get |pods|log web/one', true],
  ['another name', named, 'get |pods web/two', false],
  ['a list without a name', named, 'list |pods web/', false],
  ['a create without a name', named, 'create |pods web/', false],
  ['a list with that name', named, 'list |pods web/one', true],
  ['scale of anything', scale, 'update apps|deployments|scale', true],
  ['not the thing itself', scale, 'update apps|deployments', false],
  ['not another subresource', scale, 'update apps|deployments|status', false],
  ['not a subresource that ends like it', scale, 'update apps|deployments|xscale', false],
  ['pods/* is a plain text', podsStar, 'get |pods|log', false],
  ['pods/* is not pods', podsStar, 'get |pods', false],
  ['pods/* is the subresource "*"', podsStar, 'get |pods|*', true],
  ['a URL', urls, 'get /api', true],
  ['a longer URL', urls, 'get /api/v1', false],
  ['a URL prefix', urls, 'get /apis/apps/v1', true],
  ['the prefix without its slash', urls, 'get /apis', false],
  ['all stars at the end count as one', urls, 'get /metrics/x', true],
  ['a star inside is plain', urls, 'get /axb', false],
  ['a star inside is plain, asked so', urls, 'get /a*b', true],
  ['another verb on a URL', urls, 'post /api', false],
  ['any URL', anyUrl, 'get /x', true],
  ['URL rules give no resources', anyUrl, 'get |pods', false],
];

describe('one rule', () => {
  it.each(cases)('%s', (_, one, text, allowed) => expect(compileRule(one).allows(ask(text))).toBe(allowed));
  it('that is empty allows nothing', () => {
    expect(compileRule(rule({})).allows(ask('get |pods'))).toBe(false);
    expect(compileRule(rule({ verbs: ['*'] })).allows(ask('get |pods'))).toBe(false);
    expect(compileRule(rule({ verbs: ['*'], resources: ['*'] })).allows(ask('get |pods'))).toBe(false);
  });
});

describe('reading rules', () => {
  it('takes well-formed ones', () => {
    expect(readRules([{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }])).toEqual([
      rule({ verbs: ['get'], apiGroups: [''], resources: ['pods'] }),
    ]);
  });
  it('leaves out what is malformed, whole', () => {
    expect(readRules([{ verbs: 'get' }, 3, null, { verbs: ['get', 4] }])).toEqual([]);
    expect(readRules([{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: 'one' }])).toEqual([]);
    expect(readRules([{ verbs: ['get'], resourceNames: null }])).toEqual([rule({ verbs: ['get'] })]);
    expect(readRules(undefined)).toEqual([]);
    expect(readRules(null)).toEqual([]);
  });
});
