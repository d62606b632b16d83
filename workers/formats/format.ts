/** What a format must know how to do. One folder a format implements it; `formats.ts` is the table. */
import type { Sandbox, TaskContext } from '../context.ts';
import type { BuildSpec, ChangelogEntry, EnvironmentKey, PipelineSlice } from '../job.ts';
import type { PreparedSource } from '../source/prepared.ts';

export interface Format {
  /** Makes the root of a build environment in `target` (an absent folder whose parent exists). */
  createEnvironment(context: TaskContext, environment: EnvironmentTarget): Promise<void>;
  /** Brings an existing root up to date, in place of the old one, atomically. */
  updateEnvironment(context: TaskContext, environment: EnvironmentTarget): Promise<void>;
  /** Builds source package and binaries of a prepared source. A build that fails throws `build-failed`. */
  build(context: TaskContext, build: BuildRequest): Promise<BuiltArtifacts>;
  /** Reads what was built into catalogue entries and publishes them in one switch. */
  publish(context: TaskContext, built: BuiltArtifacts, spec: BuildSpec): Promise<void>;
  /** Shows what checkers think of what is published by now; informative, so that it never throws. */
  report?(context: TaskContext, built: BuiltArtifacts, pipeline: PipelineSlice): Promise<void>;
}

export interface EnvironmentTarget extends EnvironmentKey {
  readonly pipeline: PipelineSlice;
  /** Absolute path of the root folder. */
  readonly target: string;
}

export interface BuildRequest {
  readonly spec: BuildSpec;
  readonly pipeline: PipelineSlice;
  readonly source: PreparedSource;
  /** Absolute path of an empty folder for results. */
  readonly results: string;
  /** Opens a sandbox over the environment of that architecture. */
  openEnvironment(architecture: string): Promise<Sandbox>;
}

/** Files of a finished build, not published yet. */
export interface BuiltArtifacts {
  readonly artifact: string;
  /** Full version, `2.10-1.deb12+build0`. */
  readonly version: string;
  /** As the source package has it, newest entry first; it is read from there where it is not told. */
  readonly changelog?: readonly ChangelogEntry[];
  /** Absolute paths of everything that is to be published. */
  readonly files: readonly string[];
}
