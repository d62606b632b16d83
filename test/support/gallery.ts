/** `npm run gallery`: draws the example inventories in every mode into docs/gallery, and writes docs/gallery.md. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ink, plan } from '../../workers/drawing/draw.ts';
import { readInventory } from '../../workers/drawing/inventory/database.ts';
import { createMeasure, requestFor } from './drawing.ts';

const DOCS = fileURLToPath(new URL('../../docs/', import.meta.url));

interface Picture {
  readonly file: string;
  readonly title: string;
  readonly inventory: string;
  readonly entity: 'infrastructure' | 'room' | 'rack';
  readonly name: string;
  readonly parameters: string;
}

const full = (
  file: string,
  title: string,
  parameters: string,
  entity: Picture['entity'] = 'infrastructure',
  name = 'atlas',
): Picture => ({
  file,
  title,
  inventory: 'full',
  entity,
  name,
  parameters,
});

const STATES = `overlay:
  states:
    cn[001-090]: ALLOCATED
    cn[091-120]: IDLE
    cn[121-170]: MIXED
    cn[171-180]: MIXED+DRAIN
    cn[181-200]: DOWN*
    gpu[01-08]: ALLOCATED
    gpu[09-12]: IDLE+MAINT
    gpu[13-16]: IDLE+RESERVED
`;

const PICTURES: readonly Picture[] = [
  {
    file: 'laptop',
    title: 'The smallest inventory: one file, one rack',
    inventory: 'laptop/inventory.yml',
    entity: 'infrastructure',
    name: 'lab',
    parameters: 'dimensions: {width: 500, height: 700}\n',
  },
  {
    file: 'laptop-room',
    title: 'Its room',
    inventory: 'laptop/inventory.yml',
    entity: 'room',
    name: 'cellar',
    parameters: 'dimensions: {width: 500, height: 500}\nroom: {dimensions: yes, scale_bar: yes}\n',
  },
  full('flat', 'An infrastructure as the defaults draw it', ''),
  full('axonometric', 'The same, axonometric', 'axonometric: {enabled: yes}\n'),
  full(
    'tags',
    'Equipment of one tag, the rest as ghosts, other racks closed',
    'infrastructure: {equipment_tags: [gpu, net], ghost_unselected: yes, other_racks: yes}\ncolors:\n  equipments:\n    - {type: gpu, background: "#E69F00"}\n    - {tags: [net], background: "#56B4E9"}\n',
  ),
  full(
    'compact',
    'Compact, with unit numbers, free units, fill rates, legend, title and footer',
    'general: {theme: light, legend: yes, title: "Cluster {name}", footer: "drawn {date}"}\ninfrastructure: {layout: compact, empty_units: yes, label_color: auto, label_align: center}\nrack: {u_numbers: left, fill_rate: yes}\ncolors:\n  equipments:\n    - {type: gpu, background: "#E69F00"}\n    - {tags: [net], background: "#56B4E9"}\n    - {tags: [blade], background: "#009E73"}\ndimensions: {width: 1500, height: 1000}\n',
  ),
  full(
    'faces',
    'Both faces, dark',
    'general: {theme: dark}\ninfrastructure: {face: both, layout: compact, label_color: auto}\ndimensions: {width: 1600, height: 800}\n',
  ),
  full(
    'states',
    'States of nodes, told apart without colours too',
    `general: {theme: dark, legend: yes}\ninfrastructure: {layout: compact, label_fold: yes, label_color: auto}\ndimensions: {width: 1500, height: 900}\n${STATES}`,
  ),
  full(
    'metric',
    'A number for each node',
    'general: {theme: light, legend: yes}\ninfrastructure: {layout: compact, label_color: auto}\ndimensions: {width: 1500, height: 900}\noverlay:\n  metric:\n    label: power\n    unit: W\n    min: 200\n    max: 900\n    values: {"cn[001-060]": 300, "cn[061-120]": 450, "cn[121-180]": 620, "cn[181-240]": 240, "gpu[01-16]": 880, "blade[01-20]": 510}\n',
  ),
  full(
    'solid-light',
    'Axonometric with other racks, light',
    'general: {theme: light}\naxonometric: {enabled: yes, angles: {x: 40, z: 20}}\ninfrastructure: {other_racks: yes}\ncolors: {equipments: [{type: gpu, background: "#E69F00", top_side: "#F5C15C", left_side: "#B87F00"}]}\n',
  ),
  full('room', 'A room as the defaults draw it', '', 'room', 'hall'),
  full(
    'room-infrastructures',
    'Who is where: a room by infrastructure, with tiles, sizes and a scale',
    'general: {theme: light, legend: yes}\nroom: {color_by: infrastructure, grid: tiles, dimensions: yes, scale_bar: yes, row_labels: yes}\n',
    'room',
    'hall',
  ),
  full(
    'room-solid',
    'Fill rates of a room in three dimensions',
    'general: {theme: light, legend: yes}\nroom: {axonometric: yes, color_by: fillrate}\n',
    'room',
    'hall',
  ),
  full(
    'rack',
    'One rack, equipment of all infrastructures',
    'general: {theme: light}\nrack: {u_numbers: both, fill_rate: yes}\ninfrastructure: {empty_units: yes, label_color: auto, label_align: center}\nrow: {labels: no}\ndimensions: {width: 500, height: 1100}\n',
    'rack',
    'A06',
  ),
  {
    file: 'large',
    title: '200 racks of 41 nodes',
    inventory: 'large/inventory.yml',
    entity: 'infrastructure',
    name: 'large',
    parameters:
      'dimensions: {width: 1200, height: 1000}\ninfrastructure: {layout: compact, equipment_labels: no}\ngeneral: {theme: light}\n',
  },
  {
    file: 'large-solid',
    title: 'The same, axonometric',
    inventory: 'large/inventory.yml',
    entity: 'infrastructure',
    name: 'large',
    parameters: 'axonometric: {enabled: yes}\nrack: {labels: no}\ndimensions: {width: 1000, height: 1400}\n',
  },
  {
    file: 'large-room',
    title: 'Its room',
    inventory: 'large/inventory.yml',
    entity: 'room',
    name: 'hall',
    parameters:
      'dimensions: {width: 900, height: 1200}\nroom: {color_by: fillrate}\ngeneral: {legend: yes}\n',
  },
];

/** Draws all pictures; answers the bytes written. */
function drawGallery(): number {
  mkdirSync(join(DOCS, 'gallery'), { recursive: true });
  const measure = createMeasure();
  const lines = [
    '# Gallery',
    '',
    'Drawn by `npm run gallery` from the inventories in `docs/examples/inventory`.',
    '',
  ];
  let bytes = 0;
  for (const { file, title, inventory: path, entity, name, parameters } of PICTURES) {
    const { inventory, findings } = readInventory(join(DOCS, 'examples/inventory', path), null);
    if (!inventory) throw new Error(`${path}: ${findings[0]?.message}`);
    const { image } = ink(plan(inventory, requestFor(entity, name, parameters), measure));
    writeFileSync(join(DOCS, 'gallery', `${file}.png`), image);
    bytes += image.length;
    lines.push(`## ${title}`, '', `![${title}](gallery/${file}.png)`, '');
    const command = `rackwright draw ${entity} --name=${name} --db=docs/examples/inventory/${path}`;
    const shown =
      parameters === ''
        ? [command]
        : [`${command} --parameters=- <<'END'`, ...parameters.trimEnd().split('\n'), 'END'];
    lines.push('```sh', ...shown, '```', '');
  }
  writeFileSync(join(DOCS, 'gallery.md'), `${lines.join('\n').trimEnd()}\n`);
  return bytes;
}

process.stdout.write(`${PICTURES.length} pictures, ${drawGallery()} bytes\n`);
