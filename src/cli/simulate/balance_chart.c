/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/simulate/balance_chart.h"

#include <math.h>
#include <stdio.h>

enum {
    WIDTH = 1130,
    HEIGHT = 620,
    PLOT_TOP = 110,
    PLOT_WIDTH = 380,
    PLOT_HEIGHT = 370,
    FIRST_LEFT = 64,
    SECOND_LEFT = 624,
    LABEL_GAP = 14,
    LEGEND_TOP = 545,
};

static const double least_percent = 0.2, most_percent = 60;
static const char *const our_colour = "#d9480f", *const lots_colour = "#2b8a3e";
static const char *const limit_style = "stroke-width=\"1.2\" stroke-dasharray=\"2 3\"";
static const char *const seen_style = "stroke-width=\"1.5\" stroke-dasharray=\"6 4\"";

struct panel {
    const struct balance_study *study;
    struct buf *out;
    const char *title;
    double left;
    double (*value)(const struct balance *b); /* the figure it shows, as a fraction */
};

/* The end of a line and what it is called; labels are moved apart so that all can be read. */
struct label {
    double y;
    const char *colour;
    char text[32];
};

static double value_deviation(const struct balance *b)
{
    return b->deviation;
}

static double value_largest(const struct balance *b)
{
    return b->largest;
}

static double x_of(const struct panel *p, double agents)
{
    const struct balance_study *s = p->study;
    double first = log(s->agents[0]), last = log(s->agents[s->agent_counts - 1]);
    double part = last > first ? (log(agents) - first) / (last - first) : 0.5;
    return p->left + part * PLOT_WIDTH;
}

static double y_of(double percent)
{
    double low = log(least_percent), high = log(most_percent);
    double part = (log(fmax(percent, least_percent)) - low) / (high - low);
    return PLOT_TOP + PLOT_HEIGHT * (1 - fmin(part, 1));
}

static void text_at(struct buf *out, double x, double y, const char *attributes, const char *text)
{
    buf_printf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>%s</text>\n", x, y, attributes, text);
}

static void draw_grid(const struct panel *p)
{
    static const double ticks[] = {0.2, 0.5, 1, 2, 5, 10, 20, 50};
    const struct balance_study *s = p->study;
    char text[32];
    for (size_t i = 0; i < sizeof ticks / sizeof *ticks; i++) {
        double y = y_of(ticks[i]);
        buf_printf(p->out, "<path class=\"grid\" d=\"M%.1f %.1fh%d\"/>\n", p->left, y, PLOT_WIDTH);
        (void)snprintf(text, sizeof text, "%g %%", ticks[i]);
        text_at(p->out, p->left - 8, y + 4, "text-anchor=\"end\"", text);
    }
    double right_of_last = -1e9;
    for (uint32_t i = 0; i < s->agent_counts; i++) {
        double x = x_of(p, s->agents[i]);
        buf_printf(p->out, "<path class=\"grid\" d=\"M%.1f %dv%d\"/>\n", x, PLOT_TOP, PLOT_HEIGHT);
        if (x < right_of_last)
            continue;
        (void)snprintf(text, sizeof text, "%u", s->agents[i]);
        text_at(p->out, x, PLOT_TOP + PLOT_HEIGHT + 18, "text-anchor=\"middle\"", text);
        right_of_last = x + 26;
    }
    buf_printf(p->out, "<path class=\"axis\" d=\"M%.1f %dv%dh%d\"/>\n", p->left, PLOT_TOP,
               PLOT_HEIGHT, PLOT_WIDTH);
    text_at(p->out, p->left, PLOT_TOP - 14, "class=\"head\"", p->title);
    text_at(p->out, p->left + PLOT_WIDTH / 2.0, PLOT_TOP + PLOT_HEIGHT + 38,
            "text-anchor=\"middle\"", "agents");
}

static void draw_reference(const struct panel *p, double percent)
{
    buf_printf(p->out, "<path d=\"M%.1f %.1fh%d\" stroke=\"#495057\" %s/>\n", p->left,
               y_of(percent), PLOT_WIDTH, limit_style);
}

/* `stride` steps from one column's figure to the next. */
static double draw_line(const struct panel *p, const struct balance *first, size_t stride,
                        const char *colour, const char *style)
{
    const struct balance_study *s = p->study;
    double y = 0;
    buf_printf(p->out, "<polyline fill=\"none\" stroke=\"%s\" %s points=\"", colour, style);
    for (uint32_t i = 0; i < s->agent_counts; i++) {
        y = y_of(100 * p->value(&first[i * stride]));
        buf_printf(p->out, "%.1f,%.1f ", x_of(p, s->agents[i]), y);
    }
    buf_add(p->out, STR("\"/>\n"));
    return y;
}

static void draw_dots(const struct panel *p, const struct balance *first, size_t stride)
{
    for (uint32_t i = 0; i < p->study->agent_counts; i++)
        buf_printf(p->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.6\" fill=\"%s\"/>\n",
                   x_of(p, p->study->agents[i]), y_of(100 * p->value(&first[i * stride])),
                   our_colour);
}

/* From light to dark blue, few points to many. */
static void ramp(uint32_t at, uint32_t count, char *colour, size_t room)
{
    double part = count > 1 ? (double)at / (count - 1) : 1;
    (void)snprintf(colour, room, "#%02x%02x%02x", (unsigned)(150 - 130 * part),
                   (unsigned)(190 - 130 * part), (unsigned)(230 - 100 * part));
}

static void draw_labels(const struct panel *p, struct label *labels, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        struct label moving = labels[i];
        uint32_t at = i;
        for (; at > 0 && labels[at - 1].y > moving.y; at--)
            labels[at] = labels[at - 1];
        labels[at] = moving;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && labels[i].y < labels[i - 1].y + LABEL_GAP)
            labels[i].y = labels[i - 1].y + LABEL_GAP;
        buf_printf(p->out, "<text x=\"%.1f\" y=\"%.1f\" fill=\"%s\">%s</text>\n",
                   p->left + PLOT_WIDTH + 8, labels[i].y + 4, labels[i].colour, labels[i].text);
    }
}

static struct label draw_seen(const struct panel *p, const struct balance *seen, const char *colour,
                              const char *text)
{
    struct label l = {.colour = colour};
    l.y = draw_line(p, seen, 1, colour, seen_style);
    (void)snprintf(l.text, sizeof l.text, "%s", text);
    return l;
}

static void draw_panel(const struct panel *p)
{
    const struct balance_study *s = p->study;
    struct label labels[STUDY_MAX_ROWS + 3];
    char colours[STUDY_MAX_ROWS][8];
    uint32_t count = 0, our_row = study_default_row(s);
    draw_grid(p);
    draw_reference(p, 4.5);
    draw_reference(p, 6);
    labels[count++] = draw_seen(p, s->seen_rendezvous, lots_colour, "rendezvous, seen");
    labels[count++] = draw_seen(p, s->seen_ring, our_colour, "default, seen");
    for (uint32_t row = 0; row < s->point_counts; row++) {
        ramp(row, s->point_counts, colours[row], sizeof colours[row]);
        struct label *l = &labels[count++];
        l->y =
            draw_line(p, &s->ring[row][0][0], STUDY_PROBES, colours[row], "stroke-width=\"1.8\"");
        l->colour = colours[row];
        (void)snprintf(l->text, sizeof l->text, "%u points", s->points[row]);
    }
    if (our_row < s->point_counts) {
        const struct balance *ours = &s->ring[our_row][0][1];
        double y = draw_line(p, ours, STUDY_PROBES, our_colour, "stroke-width=\"3\"");
        labels[count++] = (struct label){y, our_colour, "our default"};
        draw_dots(p, ours, STUDY_PROBES);
    }
    draw_labels(p, labels, count);
}

static void draw_key(struct buf *out, double x, double y, const char *colour, const char *style,
                     const char *text)
{
    buf_printf(out, "<path d=\"M%.1f %.1fh28\" stroke=\"%s\" %s/>\n", x, y - 4, colour, style);
    text_at(out, x + 36, y, "", text);
}

static void draw_legend(struct buf *out)
{
    char text[160];
    draw_key(
        out, FIRST_LEFT, LEGEND_TOP, "#3d6aa8", "stroke-width=\"1.8\"",
        "ring as in the paper: a host has one position; points of each agent at the line's end");
    (void)snprintf(text, sizeof text, "our default: %d points, a host has %d positions",
                   ASSIGN_POINTS, ASSIGN_PROBES);
    draw_key(out, SECOND_LEFT + 40, LEGEND_TOP, our_colour, "stroke-width=\"3\"", text);
    (void)snprintf(
        text, sizeof text,
        "seen with %d random hosts: mostly the chance of the hosts themselves (solid lines are "
        "computed from the arcs)",
        STUDY_HOSTS);
    draw_key(out, FIRST_LEFT, LEGEND_TOP + 24, lots_colour, seen_style, text);
    draw_key(
        out, FIRST_LEFT, LEGEND_TOP + 48, "#495057", limit_style,
        "6 % and 4.5 %: what the paper reports at 100 and at 200 points; 4.5 % is our limit for "
        "the largest deviation up to 100 agents");
}

void balance_chart(const struct balance_study *s, struct buf *out)
{
    buf_printf(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
               "viewBox=\"0 0 %d %d\" font-family=\"Helvetica, Arial, sans-serif\" "
               "font-size=\"12\" fill=\"#343a40\">\n",
               WIDTH, HEIGHT, WIDTH, HEIGHT);
    buf_add(out, STR("<style>.grid{stroke:#e9ecef}.axis{stroke:#868e96;fill:none}"
                     ".head{font-size:14px;font-weight:bold}</style>\n"));
    buf_printf(out, "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", WIDTH, HEIGHT);
    text_at(out, FIRST_LEFT, 38, "font-size=\"20\" font-weight=\"bold\"",
            "How far agents' shares of the hosts lie from equal");
    text_at(out, FIRST_LEFT, 62, "fill=\"#495057\"",
            "Agents of equal capacity; deviation = share divided by the ideal share, minus one. "
            "Both axes are logarithmic.");
    struct panel deviation = {s, out, "Standard deviation", FIRST_LEFT, value_deviation};
    struct panel largest = {s, out, "Largest deviation", SECOND_LEFT, value_largest};
    draw_panel(&deviation);
    draw_panel(&largest);
    draw_legend(out);
    buf_add(out, STR("</svg>\n"));
}
