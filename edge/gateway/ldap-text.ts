/** LDAP's spellings: filters, distinguished names, and Active Directory's security identifiers. */

/** A value for a filter (RFC 4515 section 3). */
export function escapeFilter(value: string): string {
  return value.replace(/[\\*()\0]/g, char => `\\${char.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

/** A value for a distinguished name (RFC 4514 section 2.4). */
export function escapeDn(value: string): string {
  return value
    .replace(/[\\"+,;<>=]/g, char => `\\${char}`)
    .replace(/\0/g, '\\00')
    .replace(/^[ #]/, char => `\\${char}`)
    .replace(/ $/, '\\ ');
}

/** One spelling for names that mean the same entry: letter case and blanks around separators don't count. */
export function normalDn(dn: string): string {
  return dn.replace(/\s*([,=+])\s*/g, '$1').toLowerCase();
}

/** Bytes of a security identifier as `S-1-5-…` (MS-DTYP section 2.4.2.2), null for anything else. */
export function readSid(bytes: Buffer | null): string | null {
  const count = bytes?.[1] ?? 0;
  if (bytes?.[0] !== 1 || count > 15 || bytes.length !== 8 + count * 4) return null;
  const parts = [bytes.readUIntBE(2, 6)];
  for (let at = 0; at < count; at += 1) parts.push(bytes.readUInt32LE(8 + at * 4));
  return `S-1-${parts.join('-')}`;
}

/** The identifier in the same domain with another last part: a user's primary group. */
export function siblingSid(sid: string, rid: string): string {
  return `${sid.slice(0, sid.lastIndexOf('-'))}-${rid}`;
}

/** An identifier's bytes for a filter. */
export function sidFilter(sid: string): string {
  const [, , authority = '0', ...parts] = sid.split('-');
  const bytes = Buffer.alloc(8 + parts.length * 4);
  bytes[0] = 1;
  bytes[1] = parts.length;
  bytes.writeUIntBE(Number(authority), 2, 6);
  for (const [at, part] of parts.entries()) bytes.writeUInt32LE(Number(part) >>> 0, 8 + at * 4);
  return [...bytes].map(byte => `\\${byte.toString(16).padStart(2, '0')}`).join('');
}
