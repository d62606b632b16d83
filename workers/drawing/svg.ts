/** Writes a scene as SVG whose text is text: ids, titles, data and links on its items. Pure. */
import type { Color, Parameters } from '../../proto/parameters.ts';
import { hex, rgb } from './color.ts';
import type { Drawing, Item, Point, Shape, Text } from './scene.ts';

/** SVG text of a drawing, UTF-8. */
export function writeSvg(drawing: Drawing, { svg, general }: Parameters): string {
  return new SvgWriter(svg, general.font ?? 'sans-serif').document(drawing);
}

/** Writes text that is safe between and within tags; what XML can't hold is left out. */
function escapeXml(text: string): string {
  return text
    .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '')
    .replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** Three decimals are finer than any eye. */
function n(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}

function list(points: readonly Point[]): string {
  return points.map(([x, y]) => `${n(x)},${n(y)}`).join(' ');
}

/** One document being written. */
class SvgWriter {
  readonly #options: Parameters['svg'];
  readonly #family: string;
  readonly #ids = new Map<string, number>();
  readonly #hatches = new Map<string, { readonly stroke: Color; readonly step: number }>();
  readonly #colors = new Map<string, string>();

  constructor(options: Parameters['svg'], family: string) {
    this.#options = options;
    this.#family = family;
  }

  document({ width, height, background, title, shapes }: Drawing): string {
    const body: string[] = [];
    if (background)
      body.push(`<rect width="${width}" height="${height}"${this.#paint('fill', background)}/>`);
    for (const shape of shapes) body.push(this.#shape(shape));
    const name = escapeXml(title);
    const described = this.#options.metadata ? ` role="img" aria-label="${name}"` : '';
    return [
      `<?xml version="1.0" encoding="UTF-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"`,
      ` viewBox="0 0 ${width} ${height}" font-family="${escapeXml(this.#family)}"${described}>`,
      this.#options.metadata ? `<title>${name}</title>` : '',
      this.#style(),
      this.#patterns(),
      ...body,
      '</svg>\n',
    ].join('');
  }

  #style(): string {
    if (!this.#options.dark_mode || this.#colors.size === 0) return '';
    const variables = (turn: (color: Color) => Color): string =>
      [...this.#colors].map(([color, name]) => `${name}:${rgb(turn(hex(color)))}`).join(';');
    const light = variables(color => color);
    const dark = variables(inDark);
    return `<style>:root{color-scheme:light dark;${light}}@media (prefers-color-scheme:dark){:root{${dark}}}</style>`;
  }

  #patterns(): string {
    if (this.#hatches.size === 0) return '';
    const patterns = [...this.#hatches].map(
      ([id, { stroke, step }]) =>
        `<pattern id="${id}" width="${step}" height="${step}" patternUnits="userSpaceOnUse"><path d="M0,${step}L${step},0"${this.#paint('stroke', stroke)}/></pattern>`,
    );
    return `<defs>${patterns.join('')}</defs>`;
  }

  #shape(shape: Shape): string {
    switch (shape.kind) {
      case 'rect': {
        const { x, y, w, h, fill } = shape;
        return `<rect x="${n(x)}" y="${n(y)}" width="${n(Math.max(0, w))}" height="${n(Math.max(0, h))}"${this.#paint('fill', fill)}/>`;
      }
      case 'outline': {
        const { x, y, w, h, stroke, width } = shape;
        const thick = width === undefined ? '' : ` stroke-width="${n(width)}"`;
        return `<rect x="${n(x)}" y="${n(y)}" width="${n(Math.max(0, w))}" height="${n(Math.max(0, h))}" fill="none"${this.#paint('stroke', stroke)}${thick}/>`;
      }
      case 'polygon': {
        const { points, fill, stroke, width } = shape;
        const inside = fill ? this.#paint('fill', fill) : ' fill="none"';
        const edge = stroke ? this.#paint('stroke', stroke) : '';
        return `<polygon points="${list(points)}"${inside}${edge}${width ? ` stroke-width="${n(width)}"` : ''}/>`;
      }
      case 'line': {
        const { points, stroke, width, dash } = shape;
        const dashes = dash ? ` stroke-dasharray="${dash.join(' ')}"` : '';
        return `<polyline points="${list(points)}" fill="none"${this.#paint('stroke', stroke)} stroke-width="${n(width)}"${dashes}/>`;
      }
      case 'hatch': {
        const id = `hatch-${rgb(shape.stroke).slice(1)}-${shape.step}`;
        this.#hatches.set(id, shape);
        return `<polygon points="${list(shape.points)}" fill="url(#${id})"/>`;
      }
      case 'text':
        return this.#text(shape);
      case 'group': {
        const inner = shape.shapes.map(one => this.#shape(one)).join('');
        const matrix = shape.matrix ? ` transform="matrix(${shape.matrix.map(n).join(' ')})"` : '';
        if (!shape.item) return matrix === '' ? inner : `<g${matrix}>${inner}</g>`;
        return this.#item(shape.item, matrix, inner);
      }
    }
  }

  #item(item: Item, matrix: string, inner: string): string {
    const { metadata, link_template } = this.#options;
    let text = inner;
    if (metadata) {
      const data = Object.entries({ name: item.name, ...item.data })
        .filter(([, value]) => value !== '')
        .map(([key, value]) => ` data-${key}="${escapeXml(value)}"`)
        .join('');
      text = `<g id="${this.#id(item)}" class="${item.kind}"${data}${matrix}><title>${escapeXml(item.title)}</title>${inner}</g>`;
    } else if (matrix !== '') text = `<g${matrix}>${inner}</g>`;
    if (link_template === null || (item.kind !== 'equipment' && item.kind !== 'rack')) return text;
    const values: Readonly<Record<string, string>> = {
      name: item.name,
      rack: item.data.rack ?? '',
      kind: item.data.kind ?? item.kind,
    };
    // A link within a link is none: racks link where nothing of theirs does, by their frame.
    if (item.kind === 'rack' && inner.includes('<a ')) return text;
    const href = link_template.replace(/\{(name|rack|kind)\}/g, (_whole, key: string) =>
      encodeURIComponent((values[key] ?? '').toWellFormed()),
    );
    return `<a href="${escapeXml(href)}">${text}</a>`;
  }

  /** An id that the same item has in every drawing, with a number where a name is repeated. */
  #id({ kind, name }: Item): string {
    const base = `${kind}-${name.replace(/[^A-Za-z0-9_.-]/gu, char => `_${char.codePointAt(0)?.toString(16)}_`)}`;
    const count = (this.#ids.get(base) ?? 0) + 1;
    this.#ids.set(base, count);
    return count === 1 ? base : `${base}--${count}`;
  }

  #text({ text, x, y, font, size, color, matrix, halo }: Text): string {
    const place = matrix
      ? ` y="${n(size.ascent)}" transform="matrix(${[...matrix, x, y].map(n).join(' ')})"`
      : ` x="${n(x)}" y="${n(y + size.ascent)}"`;
    // The width that was measured: another font may be wider, and must not overflow.
    const length = text.length > 1 ? ` textLength="${n(size.width)}" lengthAdjust="spacingAndGlyphs"` : '';
    const edge = halo
      ? `${this.#paint('stroke', halo)} stroke-width="3" stroke-linejoin="round" paint-order="stroke"`
      : '';
    const bold = font.bold ? ' font-weight="bold"' : '';
    return `<text${place} font-size="${n(font.size)}"${bold}${length}${this.#paint('fill', color)}${edge}>${escapeXml(text)}</text>`;
  }

  #paint(property: 'fill' | 'stroke', color: Color): string {
    const value = rgb(color);
    const alpha = color[3] < 1 ? ` ${property}-opacity="${n(color[3])}"` : '';
    if (!this.#options.dark_mode) return ` ${property}="${value}"${alpha}`;
    const known = this.#colors.get(value) ?? `--c${this.#colors.size}`;
    this.#colors.set(value, known);
    return ` style="${property}:var(${known})"${alpha}`;
  }
}

/** Greys change sides; colours that mean something stay. */
function inDark([r, g, b, a]: Color): Color {
  const [most, least] = [Math.max(r, g, b), Math.min(r, g, b)];
  if (most - least > 0.25) return [r, g, b, a];
  const turned = 1 - (most + least) / 2;
  const by = (channel: number): number => Math.min(1, Math.max(0, turned + (channel - (most + least) / 2)));
  return [by(r), by(g), by(b), a];
}
