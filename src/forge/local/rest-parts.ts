/** What all routes of the local forge's REST API share. */
import type { Context } from 'hono';
import type { Shapes } from './answers.ts';
import type { Deliveries } from './deliveries.ts';
import type { Place, World } from './world.ts';

export interface RestParts {
  readonly world: World;
  readonly shapes: Shapes;
  readonly deliveries: Deliveries;
  readonly home: string;
}

export type Handler = (context: Context, place: Place) => Response | Promise<Response>;

export const MAX_BODY = 65_536;
export const failed = (
  context: Context,
  status: 401 | 403 | 404 | 409 | 422,
  message: string,
  errors?: readonly object[],
) =>
  context.json(
    { message, documentation_url: 'https://docs.github.com/rest', ...(errors && { errors }) },
    status,
  );
export const notFound = (context: Context) => failed(context, 404, 'Not Found');
export const bodyOf = async (context: Context): Promise<unknown> => context.req.json().catch(() => ({}));
export const number = (context: Context, name: string) => Number(context.req.param(name));

export type Allow = (
  permission: string,
  level: 'read' | 'write',
  handler: Handler,
) => (context: Context) => Response | Promise<Response>;
