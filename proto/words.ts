/** Names that every process of ours uses alike: formats, task types, permission actions, roles of files. */

/**
 * Artifact formats. `environments`: builds need a build environment. `registry`: what one signed entry file covers, and
 * so what one writer at a time may change. `buildable`: this version builds it; what it does not, it only publishes.
 */
export const FORMATS = {
  deb: { environments: true, registry: 'distribution', buildable: true },
  rpm: { environments: true, registry: 'derivative', buildable: false },
  osi: { environments: false, registry: 'derivative', buildable: false },
} as const;

export type FormatName = keyof typeof FORMATS;
export const FORMAT_NAMES = Object.keys(FORMATS) as readonly FormatName[];

export function isFormat(name: string): name is FormatName {
  return Object.hasOwn(FORMATS, name);
}

/** Task types with the names that the existing client knows; it fails on any other. */
export const TASK_NAMES = {
  build: 'artifact build',
  deletion: 'artifact deletion',
  keyringCreation: 'keyring creation',
  keyringRenewal: 'keyring renewal',
  purge: 'history purge',
  imageCreation: 'image creation',
  imageUpdate: 'image update',
  imageShell: 'image shell',
  environmentCreation: 'image build environment creation',
  environmentUpdate: 'image build environment update',
  environmentShell: 'image build environment shell',
} as const;

/** Task types of ours, shown by the additions only, never by the documented task lists. */
export const OWN_TASK_NAMES = {
  snapshot: 'registry snapshot',
  promotion: 'registry promotion',
  rollback: 'registry rollback',
  importing: 'registry import',
  verification: 'registry verification',
  repair: 'registry repair',
  refresh: 'registry refresh',
  retention: 'registry retention',
  collection: 'registry collection',
  updateinfo: 'registry updateinfo',
} as const;

export type TaskName =
  | (typeof TASK_NAMES)[keyof typeof TASK_NAMES]
  | (typeof OWN_TASK_NAMES)[keyof typeof OWN_TASK_NAMES];

/** Permission actions of the build service. */
export const ACTIONS = [
  'view-registry',
  'view-pipeline',
  'view-task',
  'view-keyring',
  'edit-registry',
  'edit-task',
  'edit-keyring',
  'build',
  'manage-image',
  'manage-token',
  'purge-history',
] as const;

export type Action = (typeof ACTIONS)[number];

/** Days that a token of an instance may live at most. */
export const MAX_TOKEN_DAYS = 3650;

/** `^…$` of an instance's name. */
export const INSTANCE_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/;
/** `^…$` of an artifact's name and of a source id. */
export const ARTIFACT_NAME = /^[A-Za-z0-9][A-Za-z0-9+._-]{0,127}$/;
/** First path segments of the edge that no instance may be named after; and anything matching `^v\d`. */
export const RESERVED_INSTANCES = [
  'all',
  'api',
  'agent',
  'assets',
  'auth',
  'config.json',
  'favicon.ico',
  'instances.json',
  'metrics',
  'oidc',
  'robots.txt',
  'static',
  'version',
] as const;

/** The software's own version, as /version and --version show it. */
export const VERSION = '0.1.0';

/** Architectures as registries show them, and Debian's names for these; any other is shown under Debian's own name. */
const SHOWN_ARCHITECTURES: Readonly<Record<string, string>> = {
  x86_64: 'amd64',
  aarch64: 'arm64',
  noarch: 'all',
  src: 'source',
};

/** The same of the machines that builds are for: `uname -m` words, of which Debian calls more by other names. */
const DEBIAN_ARCHITECTURES: Readonly<Record<string, string>> = {
  ...SHOWN_ARCHITECTURES,
  armv7l: 'armhf',
  i686: 'i386',
  ppc64le: 'ppc64el',
};

/** Debian's name for what a build is for, or for what a registry shows; a word of Debian's own stays. */
export function toDebianArchitecture(word: string): string {
  return Object.hasOwn(DEBIAN_ARCHITECTURES, word) ? (DEBIAN_ARCHITECTURES[word] ?? word) : word;
}

/** What a registry shows a Debian architecture as. */
export function fromDebianArchitecture(name: string): string {
  return Object.entries(SHOWN_ARCHITECTURES).find(([, debian]) => debian === name)?.[0] ?? name;
}
