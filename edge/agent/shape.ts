/** How objects of upstream are read into a fixed set of members. */
import { integer, optional, type Raw, raw, text, texts } from './values.ts';

/** How one member is read. */
export type Reader = (object: Raw, name: string) => unknown;
export type Shape = Readonly<Record<string, Reader>>;

export const asText: Reader = (object, name) => text(object[name]);
export const asNumber: Reader = (object, name) => integer(object[name]);
export const asOptional: Reader = (object, name) => optional(object[name]);
export const asTexts: Reader = (object, name) => texts(object[name]);
export const asBoolean: Reader = (object, name) => object[name] === true;
export const asObject: Reader = (object, name) => raw(object[name]);

/** A member of the same meaning under an older name. */
export function or(reader: Reader, older: string): Reader {
  return (object, name) => reader(object, name in object ? name : older);
}

export function shape(object: Raw, members: Shape): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).map(([name, reader]) => [name, reader(object, name)]));
}
