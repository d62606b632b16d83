/** The login message's markdown as HTML. All text is escaped first, so no markup of its author's can get through. */
import { escapeHtml } from '../http/page.ts';

/** Headings, paragraphs, lists, emphasis, code and links; anything else is shown as written. */
export function renderMarkdown(source: string): string {
  const blocks = source.replace(/\r\n?/g, '\n').split(/\n{2,}/);
  return blocks
    .map(block => block.trim())
    .filter(block => block !== '')
    .map(renderBlock)
    .join('\n');
}

function renderBlock(block: string): string {
  const heading = /^(#{1,6}) +(.*)$/.exec(block.split('\n')[0] ?? '');
  if (heading) {
    const level = heading[1]?.length ?? 1;
    const rest = block.split('\n').slice(1).join('\n').trim();
    const head = `<h${level}>${renderInline(heading[2] ?? '')}</h${level}>`;
    return rest === '' ? head : `${head}\n${renderBlock(rest)}`;
  }
  const lines = block.split('\n');
  if (lines.every(line => /^\s*[-*+] /.test(line))) {
    return `<ul>${lines.map(line => `<li>${renderInline(line.replace(/^\s*[-*+] /, ''))}</li>`).join('')}</ul>`;
  }
  if (lines.every(line => /^\s*\d+[.)] /.test(line))) {
    return `<ol>${lines.map(line => `<li>${renderInline(line.replace(/^\s*\d+[.)] /, ''))}</li>`).join('')}</ol>`;
  }
  return `<p>${lines.map(renderInline).join('<br>')}</p>`;
}

function renderInline(text: string): string {
  return escapeHtml(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replace(/\*([^*]+)\*/g, '<em>$1</em>')
    .replace(/\[([^\]]+)\]\(([^()\s]+)\)/g, (whole, label: string, target: string) =>
      /^(https?:\/\/|mailto:)/.test(target)
        ? `<a href="${target}" rel="noreferrer noopener" target="_blank">${label}</a>`
        : whole,
    );
}
