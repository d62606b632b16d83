/** Slurm-web's kind of request in a real browser: formData() reads the answer, and rectangles lie on what is drawn. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { chromium } from 'playwright-core';
import { openDrawingService } from '../support/drawing-service.ts';

const CHROMIUM = '/usr/bin/chromium';
/** Milliseconds that no step takes, however slow the machine. */
const AMPLE = 300_000;
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

test('a page reads the form, decodes the image and finds equipment where coordinates say', async () => {
  assert.ok(existsSync(CHROMIUM), 'package chromium is missing');
  const service = await openDrawingService();
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS, timeout: AMPLE });
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(AMPLE);
    await page.goto(`${service.base}/v0.5.0/diagnostics`);
    const seen = await page.evaluate(async () => {
      const response = await fetch('/v0.5.0/draw/infrastructure/demo.png?coordinates', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/plain, */*' },
        body: JSON.stringify({
          general: { pixel_perfect: true },
          dimensions: { width: 666, height: 1100 },
          infrastructure: { equipment_labels: false, ghost_unselected: true },
          row: { labels: true },
          rack: { labels: true },
          colors: { racks: [{}] },
        }),
      });
      const form = await response.formData();
      const [image, file] = [form.get('image') as File, form.get('coordinates') as File];
      const coordinates = JSON.parse(await file.text()) as Record<string, [number, number, number, number]>;
      const bitmap = await createImageBitmap(image);
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      const context = canvas.getContext('2d');
      if (!context) throw new Error('no canvas');
      context.drawImage(bitmap, 0, 0);
      const inside = Object.entries(coordinates).map(([name, [x, y, w, h]]) => {
        const at = context.getImageData(x + w / 2, y + h / 2, 1, 1).data;
        return [name, ...at];
      });
      return {
        names: [image.name, file.name],
        size: [bitmap.width, bitmap.height],
        inside,
        empty: [...context.getImageData(480, 500, 1, 1).data],
      };
    });
    assert.deepEqual(seen.names, ['demo.png', 'coordinates.json']);
    assert.deepEqual(seen.size, [666, 1100]);
    assert.deepEqual(
      seen.inside,
      ['cn1', 'cn2', 'cn3', 'cn4', 'sw1'].map(name => [name, 153, 153, 153, 255]),
    );
    assert.deepEqual(seen.empty, [0, 0, 0, 0]);
    const failed = await page.evaluate(async () => {
      const response = await fetch('/v0.5.0/draw/infrastructure/demo.png?coordinates', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{"dimensions":{"width":0,"height":0}}',
      });
      return {
        status: response.status,
        description: ((await response.json()) as { description: string }).description,
      };
    });
    assert.equal(failed.status, 400);
    assert.match(failed.description, /dimensions\.width: must be between 1 and 20000/);
  } finally {
    await browser.close();
    await service.close();
  }
});

test('SVG is shown as it was laid out: real text, none wider than its box, nothing that runs', async () => {
  assert.ok(existsSync(CHROMIUM), 'package chromium is missing');
  const service = await openDrawingService();
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS, timeout: AMPLE });
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(AMPLE);
    const link = encodeURIComponent('https://site.example/{kind}/{name}');
    await page.goto(
      `${service.base}/v0.5.0/draw/infrastructure/demo.svg?parameters.svg.link_template=${link}`,
    );
    const seen = await page.evaluate(() => {
      const boxOf = (name: string) => document.querySelector(`[data-name="${name}"].equipment`);
      const group = boxOf('cn1');
      const text = group?.querySelector('text') as SVGTextElement | null;
      const [label, box] = [
        text?.getBBox(),
        (group?.querySelectorAll('rect')[1] as SVGRectElement | undefined)?.getBBox(),
      ];
      return {
        text: text?.textContent,
        title: group?.querySelector('title')?.textContent,
        link: group?.parentElement?.getAttribute('href'),
        fits: label && box ? label.width < box.width && label.height <= box.height + 1 : false,
        ids:
          new Set([...document.querySelectorAll('[id]')].map(one => one.id)).size ===
          document.querySelectorAll('[id]').length,
      };
    });
    assert.deepEqual(seen, {
      text: 'cn1',
      title: 'cn1: blade, rack A2, slot 1',
      link: 'https://site.example/nodes/cn1',
      fits: true,
      ids: true,
    });
  } finally {
    await browser.close();
    await service.close();
  }
});
