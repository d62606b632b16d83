/** `rackwright import-srcrpm`: known, and not built yet. */
import type { Command } from 'commander';
import { Fault } from '../../proto/fault.ts';

/** Adds the verb. */
export function addImportSrcrpmCommand(program: Command): void {
  program
    .command('import-srcrpm')
    .argument('<file>', 'source rpm')
    .summary('import a source rpm (not built yet)')
    .description('Will import a source rpm as an artifact definition; this version does not do so yet.')
    .addHelpText('after', '\nExample:\n  rackwright import-srcrpm hello-2.10-1.src.rpm')
    .action((file: string) => {
      throw new Fault(
        'unavailable',
        'not-built-yet',
        `${file} was not imported: this version does not import source rpms`,
      );
    });
}
