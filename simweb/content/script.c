/* SPDX-License-Identifier: Apache-2.0 */
#include "content/looks.h"

/* Nothing here may be found by a crawler that reads markup: the strings are no references. */
static const char body[] =
    "(function () {\n"
    "  'use strict';\n"
    "  // Names of drawers, not of pages: \"/drawer/left.html\", '/drawer/right.html'.\n"
    "  var drawers = { left: '/drawer/left', right: '/drawer/right' };\n"
    "  var pattern = /^\\/[a-z]+\\/[0-9]+\\.html$/;\n"
    "  var sample = '<a href=\"/never/written.html\">' + 'text' + '<' + '/a>';\n"
    "  function label(side) { return drawers[side] + '.html'; }\n"
    "  function toggle() { document.documentElement.classList.toggle('dim'); }\n"
    "  function ready() {\n"
    "    document.documentElement.setAttribute('data-script', 'ran');\n"
    "    var top = document.querySelector('.top');\n"
    "    if (top) top.addEventListener('dblclick', toggle);\n"
    "    return pattern.test(label('left')) && sample.length > 0;\n"
    "  }\n"
    "  if (document.readyState === 'loading')\n"
    "    document.addEventListener('DOMContentLoaded', ready);\n"
    "  else\n"
    "    ready();\n"
    "})();\n";

void script_write(const struct world *w, uint32_t host, struct buf *out)
{
    buf_add(out, STR("/* "));
    host_name(w, host, out);
    buf_add(out, STR(": a double click on the top of a page dims it. */\n"));
    buf_add(out, str_c(body));
}
