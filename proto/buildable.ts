/** Which formats can be built: by this version, and by the settings. */
import { Fault } from './fault.ts';
import { FORMATS, type FormatName } from './words.ts';

/** Says that a format isn't built yet, and which way its packages come in instead. */
export function notBuiltYet(format: FormatName): Fault {
  return new Fault(
    'unavailable',
    'not-built-yet',
    `this version can't build format ${format} yet; its registry takes what is imported or promoted`,
    { format },
  );
}

/** Throws `not-built-yet` for a format that is only published. */
export function requireBuildable(format: FormatName): void {
  if (!FORMATS[format].buildable) throw notBuiltYet(format);
}

/** Throws `no-image` for a format that the settings' `[images] formats` leaves out. */
export function requireImages(format: FormatName, formats: readonly string[]): void {
  if (formats.includes(format)) return;
  const message = `no image is made for format ${format}: [images] formats of the settings leaves it out`;
  throw new Fault('refused', 'no-image', message, { format });
}
