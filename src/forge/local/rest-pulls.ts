import type { Hono } from 'hono';
import { z } from 'zod';
import { git } from './git-backend.ts';
import { type Allow, bodyOf, failed, MAX_BODY, notFound, number, type RestParts } from './rest-parts.ts';
import type { Check, Place, Pull } from './world.ts';

const PullRequest = z.object({
  title: z.string().max(256),
  head: z.string(),
  base: z.string(),
  body: z.string().max(MAX_BODY).default(''),
  draft: z.boolean().default(false),
});
const PullEdit = z.object({
  title: z.string().max(256).optional(),
  body: z.string().max(MAX_BODY).optional(),
});

/** Pull requests. */
export function addPulls(app: Hono, { world, shapes, home }: RestParts, allow: Allow): void {
  const at = '/repos/:owner/:repo/pulls';
  const open = ({ pulls, owner }: Place, head: string | undefined, base: string | undefined): Pull[] =>
    [...pulls.values()].filter(
      (pull) =>
        pull.state === 'open' &&
        (!head || head === `${owner}:${pull.head}` || head === pull.head) &&
        (!base || base === pull.base),
    );
  app.get(
    at,
    allow('pull_requests', 'read', (context, place) => {
      const found = open(place, context.req.query('head'), context.req.query('base'));
      return context.json(found.map((pull) => shapes.pull(place, pull)));
    }),
  );
  app.post(
    at,
    allow('pull_requests', 'write', async (context, place) => {
      const asked = PullRequest.safeParse(await bodyOf(context)).data;
      if (!asked || !world.app) return failed(context, 422, 'Validation Failed');
      const { head, base, title, body, draft } = asked;
      if (open(place, head, base).length > 0)
        return failed(context, 422, 'Validation Failed', [
          {
            resource: 'PullRequest',
            code: 'custom',
            message: `A pull request already exists for ${place.owner}:${head}.`,
          },
        ]);
      const exists = await git(['rev-parse', '--verify', '--quiet', `refs/heads/${head}`], {
        cwd: place.folder,
        home,
      });
      if (exists === null)
        return failed(context, 422, 'Validation Failed', [
          { resource: 'PullRequest', field: 'head', code: 'invalid' },
        ]);
      const now = world.now();
      const pull: Pull = {
        number: world.nextNumber(place),
        title,
        body,
        state: 'open',
        author: world.app.bot,
        createdAt: now,
        updatedAt: now,
        comments: [],
        head,
        base,
        draft,
      };
      place.pulls.set(pull.number, pull);
      return context.json(shapes.pull(place, pull), 201);
    }),
  );
  app.patch(
    `${at}/:n{[0-9]+}`,
    allow('pull_requests', 'write', async (context, place) => {
      const pull = place.pulls.get(number(context, 'n'));
      const edit = PullEdit.safeParse(await bodyOf(context)).data;
      if (!pull) return notFound(context);
      if (!edit) return failed(context, 422, 'Validation Failed');
      Object.assign(pull, {
        title: edit.title ?? pull.title,
        body: edit.body ?? pull.body,
        updatedAt: world.now(),
      });
      return context.json(shapes.pull(place, pull));
    }),
  );
}

const CheckBody = z.object({
  head_sha: z.string().default(''),
  name: z.string(),
  conclusion: z.string(),
  output: z.object({ title: z.string(), summary: z.string().max(MAX_BODY) }),
});

/** Check runs. */
export function addChecks(app: Hono, { world, shapes }: RestParts, allow: Allow): void {
  const at = '/repos/:owner/:repo';
  app.get(
    `${at}/commits/:sha/check-runs`,
    allow('checks', 'read', (context, { checks, ...place }) => {
      const name = context.req.query('check_name');
      const found = checks.filter(
        (check) => check.commit === context.req.param('sha') && (!name || name === check.name),
      );
      return context.json({
        total_count: found.length,
        check_runs: found.map((check) => shapes.check({ checks, ...place }, check)),
      });
    }),
  );
  app.post(
    `${at}/check-runs`,
    allow('checks', 'write', async (context, place) => {
      const asked = CheckBody.safeParse(await bodyOf(context)).data;
      if (!asked) return failed(context, 422, 'Validation Failed');
      const { head_sha: commit, name, conclusion, output } = asked;
      const check: Check = { id: world.nextId(), commit, name, conclusion, ...output };
      place.checks.push(check);
      return context.json(shapes.check(place, check), 201);
    }),
  );
  app.patch(
    `${at}/check-runs/:id{[0-9]+}`,
    allow('checks', 'write', async (context, place) => {
      const check = place.checks.find(({ id }) => id === number(context, 'id'));
      const edit = CheckBody.safeParse(await bodyOf(context)).data;
      if (!check || !edit) return notFound(context);
      Object.assign(check, { conclusion: edit.conclusion, ...edit.output });
      return context.json(shapes.check(place, check));
    }),
  );
}
