/** Writes an inventory of many equal racks, for measurements and as an example. */

/** YAML text: `rows` rows of `racks` racks, each with `nodes` nodes of one unit. Run with no arguments, it prints 10 × 20 × 41. */
export function largeInventory(rows: number, racks: number, nodes: number): string {
  const digits = String(rows * racks * nodes).length;
  const number = (value: number): string => String(value).padStart(digits, '0');
  const two = (value: number): string => String(value).padStart(2, '0');
  const lines = [
    '# Written by test/support/large-inventory.ts',
    'types:',
    '  nodes:',
    '    cn: {model: Node, height: 1u, width: full, cpu: {model: C, sockets: 2, cores: 64}, ram: {dimm: 24, size: 32GB}}',
    '  racks:',
    '    r42: {height: 2m, width: 600mm, depth: 1200mm, slots: 42u}',
    'datacenters:',
    '  large:',
    '    rooms:',
    '      hall:',
    `        dimensions: {width: ${(racks * 600 + 3000) / 1000}m, depth: ${(rows * 2400 + 2000) / 1000}m}`,
    '        rows:',
  ];
  for (let row = 1; row <= rows; row++) {
    const reversed = row % 2 === 0 ? ', reversed: true' : '';
    const place = `position: {width: 1.5m, depth: ${(1000 + (row - 1) * 2400) / 1000}m}`;
    lines.push(
      `          R${two(row)}: {${place}${reversed}, racks: [{name: "R${two(row)}-[01-${two(racks)}]", type: r42}]}`,
    );
  }
  lines.push('infrastructures:', '  large:', '    description: Many equal racks', '    layout:');
  for (let index = 0; index < rows * racks; index++) {
    const rack = `R${two(Math.floor(index / racks) + 1)}-${two((index % racks) + 1)}`;
    const names = `cn[${number(index * nodes + 1)}-${number((index + 1) * nodes)}]`;
    lines.push(`      - {rack: ${rack}, nodes: {"${names}": {type: cn, slot: 1, tags: [compute]}}}`);
  }
  return `${lines.join('\n')}\n`;
}

if (process.argv[1] === import.meta.filename) process.stdout.write(largeInventory(10, 20, 41));
