import MarkdownIt from 'markdown-it';

/** How a forge shows a text: raw HTML is let through, bare addresses become links, as the most trusting of them do. */
const renderer = new MarkdownIt({ html: true, linkify: true });

export interface View {
  readonly html: string;
  /** What stands outside code: where forges look for mentions and references. */
  readonly prose: string;
  /** Tags that are no formatting of ours. */
  readonly activeTags: readonly string[];
}

/** `details` and `summary` are ours; links, images, scripts and all else are not. */
const HARMLESS = /^\/?(?:p|strong|em|code|pre|ul|ol|li|table|thead|tbody|tr|th|td|br|hr|details|summary)$/;

export function viewMarkdown(text: string): View {
  const html = renderer.render(text);
  const prose = html.replace(/<pre>[\s\S]*?<\/pre>|<code[\s\S]*?<\/code>/g, ' ').replace(/<[^>]*>/g, ' ');
  const tags = [...html.matchAll(/<(\/?[a-z][a-z0-9]*)(?=[\s/>])/gi)].map(([, tag = '']) =>
    tag.toLowerCase(),
  );
  return { html, prose, activeTags: tags.filter((tag) => !HARMLESS.test(tag)) };
}

/** What bots and forges react to in the raw text, whether code or not; each named. */
export const REACTIONS: Readonly<Record<string, RegExp>> = {
  command:
    /^[ \t]*[/!](?:lgtm|approve|merge|retest|label|assign|close|reopen|cc|hold|kind|test|azp|spend|duplicate)\b/im,
  mention: /(?<![A-Za-z0-9`/])@[A-Za-z0-9_-]+(?:\/[A-Za-z0-9_-]+)?/,
  botPhrase: /@(?:dependabot|bors|mergify|renovate)\s*(?:merge|rebase|r\+)/i,
  closing: /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)[:\s*]+(?:[\w.-]+\/[\w.-]+)?(?:#|GH-)\d/i,
  closingAddress: /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)[:\s]+https?:\/\//i,
  address: /[a-z]{2,}:\/\/|\bwww\.|\bmailto:|\bjavascript:/i,
  hiddenComment: /<!--/,
  ciSwitch: /\[(?:skip ci|ci skip|no ci|skip actions|actions skip)\]|\*\*\*NO_CI\*\*\*|skip-checks:\s*true/i,
  ciLog: /^(?:::[a-z-]+|##\[)/im,
};

/** Names of what would react to a text; empty when nothing does. */
export function findReactions(text: string): readonly string[] {
  return Object.entries(REACTIONS).flatMap(([name, pattern]) => (pattern.test(text) ? [name] : []));
}
