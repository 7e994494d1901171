// SPDX-License-Identifier: Apache-2.0
// A web server that refuses a version of HTTP, for tests/lib/refusing_web.py:
//
//     node refusing_web.mjs MODE KEY CERTIFICATE PAGES.json TOLD
//
// It prints its port. TOLD gets a line of JSON for each request, and for each handshake that failed, before it is
// answered. The server ends with its standard input.
import fs from "node:fs";
import http2 from "node:http2";
import https from "node:https";

const [mode, key, cert, pages, told] = process.argv.slice(2);
const texts = JSON.parse(fs.readFileSync(pages, "utf8"));
const tell = (what) => fs.appendFileSync(told, JSON.stringify({ at_ms: performance.now(), ...what }) + "\n");
let resets = 0;
const isFirst = (request) => request.httpVersion.startsWith("1");

// What HTTP/1.1 is answered with; null: the page.
const refusals = {
    "505": () => [505, {}],
    "426": () => [426, { Upgrade: "h2c" }],
    "426-bare": () => [426, {}],
    "426-websocket": () => [426, { Upgrade: "websocket" }],
    "403": () => [403, {}],
    "alert": () => null,
    "505-always": () => [505, {}],
    "505-resets": () => [505, {}],
    "505-resets-once": () => [505, {}],
    "505-one": (path) => (path === "/b" ? [505, {}] : null),
};

function answer(request, response) {
    const version = isFirst(request) ? "1.1" : "2";
    const refused = version === "1.1" ? refusals[mode](request.url) : null;
    tell({ version, path: request.url, refused: refused !== null });
    if (version === "2" && (mode === "505-resets" || (mode === "505-resets-once" && resets++ === 0))) {
        request.stream.session.destroy();
        return;
    }
    const body = texts[request.url];
    const [status, more] = refused ?? [body === undefined ? 404 : 200, {}];
    const type = request.url === "/robots.txt" ? "text/plain" : "text/html";
    response.writeHead(status, { "Content-Type": type, ...more });
    response.end(refused ? "no" : body ?? "nothing");
}

const options = { key: fs.readFileSync(key), cert: fs.readFileSync(cert), allowHTTP1: mode !== "alert" };
const server = mode === "505-always" ? https.createServer(options, answer) : http2.createSecureServer(options, answer);
server.on("tlsClientError", (error) => tell({ version: "tls", why: error.code ?? "" }));
server.on("sessionError", () => {});
server.listen(0, "127.0.0.1", () => process.stdout.write(server.address().port + "\n"));
process.stdin.on("end", () => process.exit(0)).resume();
