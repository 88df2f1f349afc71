import type { Check, Person, Place, Pull, Remark, Ticket, World } from './world.ts';

/** The forge's things in the shapes of GitHub's REST API and webhooks. */

export interface Shapes {
  user(person: Person): object;
  repository(place: Place): object;
  issue(place: Place, issue: Ticket): object;
  comment(place: Place, number: number, comment: Remark): object;
  pull(place: Place, pull: Pull): object;
  check(place: Place, check: Check): object;
  /** The App's installation, which is on all repositories here. */
  installation(permissions: Readonly<Record<string, string>>): object;
}

/** `url()` is the forge's address, known once it listens. */
export function createShapes(world: World, url: () => string): Shapes {
  const api = () => `${url()}/api/v3`;
  const placeUrl = ({ owner, name }: Place) => `${api()}/repos/${owner}/${name}`;
  const shapes: Shapes = {
    user: ({ id, login, kind }) => ({
      id,
      login,
      type: kind,
      node_id: `U_${id}`,
      avatar_url: `${url()}/avatars/${id}`,
      gravatar_id: '',
      url: `${api()}/users/${encodeURIComponent(login)}`,
      html_url: `${url()}/${encodeURIComponent(login)}`,
      site_admin: false,
    }),
    repository: (place) => ({
      id: place.id,
      node_id: `R_${place.id}`,
      name: place.name,
      full_name: `${place.owner}/${place.name}`,
      private: true,
      owner: {
        id: 1,
        login: place.owner,
        type: 'Organization',
        node_id: 'O_1',
        url: `${api()}/users/${place.owner}`,
        html_url: `${url()}/${place.owner}`,
        site_admin: false,
      },
      html_url: `${url()}/${place.owner}/${place.name}`,
      clone_url: `${url()}/${place.owner}/${place.name}.git`,
      url: placeUrl(place),
      default_branch: place.defaultBranch,
      archived: place.archived,
      disabled: false,
      fork: false,
      visibility: 'private',
    }),
    issue: (place, issue) => ({
      id: place.id * 10_000 + issue.number,
      node_id: `I_${place.id}_${issue.number}`,
      number: issue.number,
      title: issue.title,
      body: issue.body,
      state: issue.state,
      user: shapes.user(issue.author),
      labels: [...issue.labels].map((name) => toLabel(place, name)),
      comments: issue.comments.length,
      created_at: issue.createdAt,
      updated_at: issue.updatedAt,
      closed_at: null,
      url: `${placeUrl(place)}/issues/${issue.number}`,
      html_url: `${url()}/${place.owner}/${place.name}/issues/${issue.number}`,
      locked: false,
      assignees: [],
    }),
    comment: (place, number, { id, author, body, createdAt, updatedAt }) => ({
      id,
      node_id: `C_${id}`,
      body,
      user: shapes.user(author),
      created_at: createdAt,
      updated_at: updatedAt,
      url: `${placeUrl(place)}/issues/comments/${id}`,
      html_url: `${url()}/${place.owner}/${place.name}/issues/${number}#issuecomment-${id}`,
      issue_url: `${placeUrl(place)}/issues/${number}`,
    }),
    pull: (place, pull) => ({
      id: place.id * 10_000 + pull.number,
      node_id: `P_${place.id}_${pull.number}`,
      number: pull.number,
      title: pull.title,
      body: pull.body,
      state: pull.state,
      draft: pull.draft,
      user: shapes.user(pull.author),
      head: { ref: pull.head, label: `${place.owner}:${pull.head}` },
      base: { ref: pull.base, label: `${place.owner}:${pull.base}` },
      created_at: pull.createdAt,
      updated_at: pull.updatedAt,
      url: `${placeUrl(place)}/pulls/${pull.number}`,
      html_url: `${url()}/${place.owner}/${place.name}/pull/${pull.number}`,
    }),
    check: (place, { id, commit, name, conclusion, title, summary }) => ({
      id,
      node_id: `CR_${id}`,
      head_sha: commit,
      name,
      status: 'completed',
      conclusion,
      output: {
        title,
        summary,
        text: null,
        annotations_count: 0,
        annotations_url: `${placeUrl(place)}/check-runs/${id}/annotations`,
      },
      url: `${placeUrl(place)}/check-runs/${id}`,
      app: world.app ? { id: world.app.id, slug: world.app.slug } : null,
    }),
    installation: (permissions) => ({
      id: world.app?.installation ?? 0,
      app_id: world.app?.id ?? 0,
      app_slug: world.app?.slug ?? '',
      account: null,
      target_id: 1,
      target_type: 'Organization',
      repository_selection: 'all',
      permissions,
      events: ['issues'],
      access_tokens_url: `${api()}/app/installations/${world.app?.installation}/access_tokens`,
      repositories_url: `${api()}/installation/repositories`,
      html_url: `${url()}/settings/installations/${world.app?.installation}`,
      created_at: '2026-01-01T00:00:00Z',
      updated_at: '2026-01-01T00:00:00Z',
      single_file_name: null,
      suspended_by: null,
      suspended_at: null,
    }),
  };
  return shapes;
}

export function toLabel(place: Place, name: string): object {
  return {
    id: place.id * 100 + name.length,
    node_id: `L_${name}`,
    name,
    color: '4f7a4f',
    default: false,
    description: null,
    url: '',
  };
}
