/**
 * Writes docs/kinds.md from the table of kinds.
 *
 *   node test/tools/kinds-doc.ts
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Kind, PROFILES } from '../../src/kinds/kind.ts';
import { KINDS } from '../../src/kinds/table.ts';

export const KINDS_PAGE: string = fileURLToPath(new URL('../../docs/kinds.md', import.meta.url));

const HEAD = `# Kinds: what a tenant has of each

Written by \`node test/tools/kinds-doc.ts\` from the table in \`src/kinds/table.ts\`; do not edit by hand.

Every kind of Kubernetes 1.36 has one class, by the profile of the tenant's policy. \`baseline\` is the default.

| class | what it means |
|---|---|
| native | stored on the host as itself, under another name |
| virtual | stored on the host as a custom resource without effect; the proxy gives it meaning |
| published | the host's own objects, read-only; only those that the policy lists, and only the fields named below |
| answered | a question that the proxy answers itself |
| mixed | native for what the tenant makes itself; beside it the host's own as published |
| absent | 404, and not in discovery |

Virtual kinds are served in version v1 alone: it is the one that is stored. Names, groups and selectors in them stay as the
tenant wrote them, as nothing on the host follows them.

Kinds of a tenant's own CustomResourceDefinitions are native, with all verbs. A kind of no row does not exist for a tenant.
`;

/** The whole page. */
export function kindsPage(): string {
  const groups = [...new Set(KINDS.map((kind) => kind.group))].sort();
  return [
    HEAD,
    '## Classes',
    '',
    ...classTable(groups),
    '',
    '## What is held back',
    '',
    ...withheldTable(),
    '',
    '## What is shown of the host',
    '',
    ...shownTable(),
    '',
  ].join('\n');
}

function classTable(groups: readonly string[]): string[] {
  const head = ['| group | resource | scope | class | subresources | why |', '|---|---|---|---|---|---|'];
  return head.concat(
    groups.flatMap((group) =>
      KINDS.filter((kind) => kind.group === group)
        .sort(byResource)
        .map(classRow),
    ),
  );
}

function classRow(kind: Kind): string {
  const subresources = Object.entries(kind.subresources).map(([name, { verbs, trusted }]) => {
    if (trusted !== undefined) return verbs.length === 0 ? `${name} (trusted)` : `${name} (read; trusted: write)`;
    return verbs.join() === 'get' ? `${name} (read)` : name;
  });
  return row([
    kind.group === '' ? 'core' : kind.group,
    kind.resource,
    kind.namespaced ? 'namespace' : 'cluster',
    classOf(kind),
    isAbsent(kind) ? '' : subresources.join(', '),
    kind.reason,
  ]);
}

/** One word, or one per profile where they differ. */
function classOf(kind: Kind): string {
  if (kind.answeredBy !== undefined) return 'answered';
  const classes = new Set(PROFILES.map((profile) => kind.classes[profile]));
  if (classes.size === 1) return kind.classes.baseline;
  return PROFILES.map((profile) => `${profile}: ${kind.classes[profile]}`).join('; ');
}

function withheldTable(): string[] {
  const lines = KINDS.flatMap((kind) =>
    Object.entries(kind.withheld ?? {}).map(([what, why]) => {
      const [name, verb] = what.split(':');
      const isTrusted = kind.subresources[name ?? '']?.trusted?.some((one) => one === verb);
      return row([`${kind.resource}/${name}`, `${verb ?? 'all'}${isTrusted ? ' (but trusted)' : ''}`, why]);
    }),
  );
  return ['| subresource | verbs | why |', '|---|---|---|', ...lines];
}

function shownTable(): string[] {
  const lines = KINDS.flatMap((kind) =>
    kind.shows === undefined ? [] : [row([kind.resource, kind.shows.map((path) => `\`${path}\``).join(', ')])],
  );
  return ['Besides name, uid, versions, times and labels:', '', '| resource | fields |', '|---|---|', ...lines];
}

function isAbsent(kind: Kind): boolean {
  return PROFILES.every((profile) => kind.classes[profile] === 'absent');
}

function byResource(a: Kind, b: Kind): number {
  return a.resource < b.resource ? -1 : 1;
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(KINDS_PAGE, kindsPage());
