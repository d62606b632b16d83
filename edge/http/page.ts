/** Pieces of HTML pages: escaping, the frame of a page, and the headers that every page carries. */

/** Text that is HTML already and is not escaped again. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Piece = string | number | Html | readonly Piece[] | null | undefined | false;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text for HTML, in elements and in quoted attributes. */
export function escapeHtml(text: string): string {
  return /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, char => ENTITIES[char] ?? char) : text;
}

/** A template tag: what stands in it is HTML, what is filled in is escaped unless it is `Html`. */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  let text = strings[0] ?? '';
  // Pages have thousands of these: no iterator for each.
  for (let index = 0; index < pieces.length; index++) text += render(pieces[index]) + strings[index + 1];
  return new Html(text);
}

function render(piece: Piece): string {
  if (piece === null || piece === undefined || piece === false) return '';
  if (piece instanceof Html) return piece.text;
  if (typeof piece === 'string') return escapeHtml(piece);
  if (typeof piece === 'number') return String(piece);
  return piece.map(render).join('');
}

const HTML_TYPE = 'text/html; charset=utf-8';

/** Nothing from elsewhere, no inline script, no inline style, never in a frame. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': HTML_TYPE,
  'cache-control': 'no-cache',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** The small page that a refused request is answered with. */
export function refusalPage(status: number, reason: string, message: string): string {
  return `${
    html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${status} ${reason}</title></head>
<body><h1>${reason}</h1><p>${message}</p></body>
</html>`.text
  }\n`;
}
