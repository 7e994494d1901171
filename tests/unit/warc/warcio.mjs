// SPDX-License-Identifier: Apache-2.0
// Reads an archive with node's warcio (the folder is argv[2], the file argv[3]) and prints a JSON line
// a record: where it is, what it is, the SHA-1 of its entity.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pathToFileURL } from 'node:url';

const { WARCParser } = await import(pathToFileURL(process.argv[2] + '/node_modules/warcio/dist/index.js'));
const parser = new WARCParser(createReadStream(process.argv[3]));
for await (const record of parser) {
  const entity = await record.readFully(true);
  console.log(JSON.stringify({
    type: record.warcType,
    url: record.warcTargetURI ?? null,
    offset: parser.offset,
    length: parser.recordLength,
    status: record.httpHeaders?.statusCode ?? 0,
    payload_bytes: entity.length,
    sha1: createHash('sha1').update(entity).digest('base64'),
    digest: record.warcPayloadDigest ?? null,
  }));
}
