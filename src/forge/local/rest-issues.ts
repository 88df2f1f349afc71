import type { Hono } from 'hono';
import { z } from 'zod';
import { type Allow, bodyOf, failed, MAX_BODY, notFound, number, type RestParts } from './rest-parts.ts';

const CommentBody = z.object({ body: z.string().min(1) });

/** Issues, their comments and labels. */
export function addIssues(app: Hono, { world, shapes, deliveries }: RestParts, allow: Allow): void {
  const at = '/repos/:owner/:repo/issues';
  app.get(
    `${at}/:n{[0-9]+}`,
    allow('issues', 'read', (context, place) => {
      const issue = place.issues.get(number(context, 'n'));
      return issue ? context.json(shapes.issue(place, issue)) : notFound(context);
    }),
  );
  app.get(
    `${at}/:n{[0-9]+}/comments`,
    allow('issues', 'read', (context, place) => {
      const issue = place.issues.get(number(context, 'n'));
      if (!issue) return notFound(context);
      const size = Math.min(100, Number(context.req.query('per_page') ?? 30));
      const from = (Number(context.req.query('page') ?? 1) - 1) * size;
      return context.json(
        issue.comments
          .slice(from, from + size)
          .map((comment) => shapes.comment(place, issue.number, comment)),
      );
    }),
  );
  app.post(
    `${at}/:n{[0-9]+}/comments`,
    allow('issues', 'write', async (context, place) => {
      const issue = place.issues.get(number(context, 'n'));
      const body = CommentBody.safeParse(await bodyOf(context)).data?.body;
      if (!issue || !world.app) return notFound(context);
      if (body === undefined || body.length > MAX_BODY)
        return failed(context, 422, 'Validation Failed', [
          { resource: 'IssueComment', field: 'body', code: 'custom' },
        ]);
      const now = world.now();
      const comment = { id: world.nextId(), author: world.app.bot, body, createdAt: now, updatedAt: now };
      issue.comments.push(comment);
      return context.json(shapes.comment(place, issue.number, comment), 201);
    }),
  );
  app.patch(
    `${at}/comments/:id{[0-9]+}`,
    allow('issues', 'write', async (context, place) => {
      const body = CommentBody.safeParse(await bodyOf(context)).data?.body;
      for (const issue of place.issues.values()) {
        const comment = issue.comments.find(({ id }) => id === number(context, 'id'));
        if (!comment || body === undefined) continue;
        if (body.length > MAX_BODY) return failed(context, 422, 'Validation Failed');
        Object.assign(comment, { body, updatedAt: world.now() });
        return context.json(shapes.comment(place, issue.number, comment));
      }
      return notFound(context);
    }),
  );
  app.delete(
    `${at}/:n{[0-9]+}/labels/:name`,
    allow('issues', 'write', (context, place) => {
      const issue = place.issues.get(number(context, 'n'));
      const label = decodeURIComponent(context.req.param('name') ?? '');
      if (!issue?.labels.delete(label) || !world.app) return failed(context, 404, 'Label does not exist');
      issue.updatedAt = world.now();
      void deliveries.issues('unlabeled', { place, issue, by: world.app.bot, label });
      return context.json([...issue.labels].map((name) => ({ name })));
    }),
  );
}
