/** Settings shown to whoever runs the service: every key with its value and where it came from. */
import type { Field, Loaded, Schema } from './settings.ts';

/** `[section]`, then `  key: value (default)` or `(FILE:LINE)`; what is unset is `∅`, secrets are dots. */
export function showSettings(loaded: Pick<Loaded<Schema>, 'settings' | 'origin'>, schema: Schema): string[] {
  const lines: string[] = [];
  for (const [section, fields] of Object.entries(schema)) {
    lines.push(`[${section}]`);
    for (const [key, field] of Object.entries(fields)) {
      lines.push(
        `  ${key}: ${show(loaded.settings[section]?.[key], field)} (${loaded.origin(section, key)})`,
      );
    }
  }
  return lines;
}

function show(value: unknown, field: Field<unknown>): string {
  if (value === null || value === undefined) return '∅';
  if (field.secret) return '•••';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 0 ? '∅' : value.join(', ');
  // Lists with a life of their own, such as networks, keep the text that they were read from.
  if (typeof value === 'object' && 'text' in value) return show(value.text, field);
  return String(value).replace(/^(redis:\/\/[^:@/]*:)[^@]*@/, '$1•••@');
}
