import { type Context, Hono } from 'hono';
import { html, raw } from 'hono/html';
import MarkdownIt from 'markdown-it';
import { git } from './git-backend.ts';
import type { Place, World } from './world.ts';

const STYLE = `
:root { color-scheme: light dark; --edge: #8885; --soft: #8882; --good: #2a7d3f; --bad: #b3382c; }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1.5rem; }
a { color: #2f6f9f; } h1 { font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere; }
nav { color: #888; } .badge { font-size: .8rem; padding: .15rem .6rem; border: 1px solid var(--edge); border-radius: 1rem; background: var(--soft); }
article { border: 1px solid var(--edge); border-radius: .5rem; padding: .2rem 1rem .6rem; margin: 1rem 0; overflow-wrap: anywhere; }
table { border-collapse: collapse; } td, th { border: 1px solid var(--edge); padding: .25rem .7rem; }
pre { overflow-x: auto; background: var(--soft); padding: .7rem; border-radius: .4rem; font-size: .85rem; line-height: 1.4; }
code { background: var(--soft); border-radius: .2rem; padding: 0 .2rem; } pre code { background: none; padding: 0; }
.add { color: var(--good); } .del { color: var(--bad); } .hunk { color: #888; }
`;

/** Markdown as a forge renders it: no HTML of the author's but `<details>` and `<summary>`, no images, no scripts. */
function createRenderer(): (text: string) => string {
  const markdown = new MarkdownIt({ html: false, linkify: false }).disable('image');
  return (text) =>
    markdown
      .render(text.replace(/<!--[\s\S]*?-->/g, ''))
      .replace(
        /(?:<p>)?&lt;details&gt;&lt;summary&gt;([^<]*?)&lt;\/summary&gt;(?:<\/p>)?/g,
        '<details><summary>$1</summary>',
      )
      .replace(/(?:<p>)?&lt;\/details&gt;(?:<\/p>)?/g, '</details>');
}

/** Pages to look at: repositories, issues, pull requests. Read-only, without scripts. */
export function createPages(world: World, home: string): Hono {
  const app = new Hono();
  const render = createRenderer();
  const page = (context: Context, title: string, content: unknown) => {
    context.header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'");
    return context.html(
      html`<!doctype html><html lang="en"><head><meta charset="utf-8" /><meta name="viewport" content="width=device-width" /><title>${title}</title><style>${raw(STYLE)}</style></head><body>${content}</body></html>`,
    );
  };
  const find = (context: Context) =>
    world.places.get(`${context.req.param('owner')}/${context.req.param('repo')}`);

  app.get('/', (context) =>
    page(
      context,
      'Local forge',
      html`<h1>Local forge</h1><ul>${[...world.places.values()].map((place) => html`<li><a href="/${place.owner}/${place.name}">${place.owner}/${place.name}</a></li>`)}</ul>`,
    ),
  );
  app.get('/:owner/:repo', async (context) => {
    const place = find(context);
    if (!place) return context.notFound();
    const files = (await git(['ls-tree', '-r', '--name-only', 'HEAD'], { cwd: place.folder, home })) ?? '';
    const at = `/${place.owner}/${place.name}`;
    const list = (kind: string, items: Iterable<{ readonly number: number; readonly title: string }>) =>
      html`<ul>${[...items].map(({ number, title }) => html`<li><a href="${at}/${kind}/${number}">#${number} ${title}</a></li>`)}</ul>`;
    return page(
      context,
      `${place.owner}/${place.name}`,
      html`<h1>${place.owner}/${place.name}</h1><h2>Issues</h2>${list('issues', place.issues.values())}<h2>Pull requests</h2>${list('pull', place.pulls.values())}<h2>Files</h2><pre>${files}</pre>`,
    );
  });
  app.get('/:owner/:repo/issues/:n', (context) => {
    const place = find(context);
    const issue = place?.issues.get(Number(context.req.param('n')));
    if (!place || !issue) return context.notFound();
    const labels = [...issue.labels].map((name) => html` <span class="badge">${name}</span>`);
    const comments = issue.comments.map(
      ({ author, body, createdAt }) =>
        html`<article><p><strong>${author.login}</strong> ${createdAt}</p>${raw(render(body))}</article>`,
    );
    return page(
      context,
      issue.title,
      html`${crumbs(place)}<h1>${issue.title} #${issue.number}</h1><p><span class="badge">${issue.state}</span>${labels}</p><article><p><strong>${issue.author.login}</strong></p>${raw(render(issue.body))}</article>${comments}`,
    );
  });
  const showPull = async (context: Context) => {
    const place = find(context);
    const pull = place?.pulls.get(Number(context.req.param('n')));
    if (!place || !pull) return context.notFound();
    const diff =
      (await git(
        ['diff', '--no-ext-diff', '--no-textconv', `refs/heads/${pull.base}...refs/heads/${pull.head}`],
        { cwd: place.folder, home },
      )) ?? '';
    const head = (await git(['rev-parse', `refs/heads/${pull.head}`], { cwd: place.folder, home }))?.trim();
    const checks = place.checks
      .filter(({ commit }) => commit === head)
      .map(({ name, conclusion, title }) => html`<li>${name}: <strong>${conclusion}</strong>. ${title}</li>`);
    return page(
      context,
      pull.title,
      html`${crumbs(place)}<h1>${pull.title} #${pull.number}</h1><p><span class="badge">${pull.draft ? 'Draft' : pull.state}</span> ${pull.author.login} wants <code>${pull.head}</code> in <code>${pull.base}</code></p><article>${raw(render(pull.body))}</article><h2>Checks</h2><ul>${checks}</ul><h2>Changes</h2><pre>${diff.split('\n').map(toLine)}</pre>`,
    );
  };
  app.get('/:owner/:repo/pull/:n', showPull);
  app.get('/:owner/:repo/pulls/:n', showPull);
  return app;
}

const crumbs = ({ owner, name }: Place) => html`<nav><a href="/${owner}/${name}">${owner}/${name}</a></nav>`;

const KINDS: Readonly<Record<string, string>> = { '+': 'add', '-': 'del', '@': 'hunk' };

function toLine(line: string) {
  const kind = KINDS[line.slice(0, 1)];
  return kind ? html`<span class="${kind}">${line}</span>\n` : html`${line}\n`;
}
