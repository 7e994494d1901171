// SPDX-License-Identifier: Apache-2.0
// Reads a JSON list of URLs from standard input and prints the list of their index keys, as node's
// warcio computes them (its folder is argv[2]).
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const { getSurt } = await import(pathToFileURL(process.argv[2] + '/node_modules/warcio/dist/utils.js'));
console.log(JSON.stringify(JSON.parse(readFileSync(0, 'utf8')).map(getSurt)));
