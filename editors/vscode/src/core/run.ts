// SPDX-License-Identifier: GPL-2.0-or-later
//
// A task of this extension as a command line.

export interface TaskDefinition {
    program?: string;
    args?: string[];
    test?: string;
    options?: string[];
}

/** A test as `ctest --show-only=json-v1` lists it. */
export interface ListedTest {
    name: string;
    command: string[];
    folder?: string;
    environment: Record<string, string>;
}

export interface Run {
    command: string[];
    folder?: string;
    environment: Record<string, string>;
}

interface Listing {
    tests?: { name: string; command?: string[]; properties?: { name: string; value: unknown }[] }[];
}

/** Tests without a command, whose program is not built, are left out. */
export function testsIn(listing: string): ListedTest[] {
    const { tests = [] } = JSON.parse(listing) as Listing;
    return tests.flatMap(({ name, command, properties = [] }) => {
        if (command === undefined || command.length === 0) return [];
        const property = (wanted: string): unknown => properties.find((each) => each.name === wanted)?.value;
        const folder = property('WORKING_DIRECTORY'), settings = (property('ENVIRONMENT') as string[] | undefined) ?? [];
        const environment = Object.fromEntries(settings.map((each) => [each.slice(0, each.indexOf('=')), each.slice(each.indexOf('=') + 1)]));
        return [{ name, command, environment, ...(typeof folder === 'string' ? { folder } : {}) }];
    });
}

/** Throws an Error that says what the definition lacks. */
export function runOf(definition: TaskDefinition, tests: ListedTest[]): Run {
    if (definition.test !== undefined) {
        const test = tests.find(({ name }) => name === definition.test);
        if (test === undefined) throw new Error(`CTest has no test ${definition.test} that can run`);
        return test;
    }
    if (!definition.program) throw new Error('the task has neither a program nor a test');
    return { command: [definition.program, ...(definition.args ?? [])], environment: {} };
}

/** memspy's files of all processes stand in `results`. */
export function commandLine(valgrind: string, options: string[], results: string, run: Run): string[] {
    return [valgrind, '--tool=memspy', '-q', '--trace-children=yes', `--memspy-out-file=${results}/profile.%p.xml`, '--xml=yes',
        `--xml-file=${results}/errors.%p.xml`, ...options, ...run.command];
}
