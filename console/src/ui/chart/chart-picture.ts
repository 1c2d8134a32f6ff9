/**
 * A chart as a picture: its drawing in the colours that are shown, with its title, period and
 * legend.
 */

/** Sharp in documents and on paper. */
const scale = 2;
const marginPx = 16;
const textPx = 12;
const linePx = 20;
const swatchPx = 10;
const svgNamespace = "http://www.w3.org/2000/svg";

export type ChartCaption = { title: string; period: string };

type Attributes = Readonly<Record<string, string | number>>;

/** @param card has one chart. */
export async function readChartPicture(
  card: Element | null | undefined,
  caption: ChartCaption,
): Promise<Blob> {
  const chart = card?.querySelector<SVGSVGElement>("[role=application] > svg");
  if (!chart) throw new Error("the card has no chart");
  const image = new Image();
  const source = new XMLSerializer().serializeToString(buildSheet(chart, caption));
  image.src = `data:image/svg+xml,${encodeURIComponent(source)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.naturalWidth;
  canvas.height = image.naturalHeight;
  canvas.getContext("2d")?.drawImage(image, 0, 0);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) =>
      blob ? resolve(blob) : reject(new Error("the browser draws no picture")),
    ),
  );
}

/** A document of its own, which knows no style sheet: whatever has a colour names it. */
function buildSheet(chart: SVGSVGElement, { title, period }: ChartCaption): SVGElement {
  const { width, height } = chart.getBoundingClientRect();
  const { fontFamily } = getComputedStyle(document.body);
  const themed = getComputedStyle(chart);
  const colour = (name: string) => themed.getPropertyValue(`--${name}`);
  const top = marginPx + 2 * linePx;
  const legend = buildLegend(chart, width, fontFamily);
  const drawing = addColours(chart);
  const sheet = element("svg", { "font-family": fontFamily, "font-size": textPx });
  const sheetWidth = width + 2 * marginPx;
  const sheetHeight = top + height + legend.height + marginPx;
  set(sheet, {
    viewBox: `0 0 ${sheetWidth} ${sheetHeight}`,
    width: sheetWidth * scale,
    height: sheetHeight * scale,
  });
  set(drawing, { x: marginPx, y: top, overflow: "visible" });
  const legendArea = element("g", {
    transform: `translate(${marginPx} ${top + height})`,
    fill: colour("muted"),
  });
  legendArea.append(...legend.marks);
  sheet.append(
    element("rect", { width: "100%", height: "100%", fill: colour("card") }),
    readText(title, {
      x: marginPx,
      y: marginPx + textPx,
      "font-size": 16,
      "font-weight": 600,
      fill: colour("ink"),
    }),
    readText(period, { x: marginPx, y: marginPx + textPx + linePx, fill: colour("muted") }),
    drawing,
    legendArea,
  );
  return sheet;
}

/** A copy whose shapes have the colours that the style sheet gives them. */
function addColours(chart: SVGSVGElement): SVGSVGElement {
  const copy = chart.cloneNode(true) as SVGSVGElement;
  const copies = copy.querySelectorAll("*");
  chart.querySelectorAll("*").forEach((shape, place) => {
    const { fill, stroke } = getComputedStyle(shape);
    const target = copies[place];
    if (target) set(target, { fill, stroke });
  });
  return copy;
}

/** The series that are shown, in as many lines as they need. */
function buildLegend(
  chart: SVGSVGElement,
  width: number,
  fontFamily: string,
): { marks: SVGElement[]; height: number } {
  const measure = document.createElement("canvas").getContext("2d");
  if (measure) measure.font = `${textPx}px ${fontFamily}`;
  const series = [...chart.querySelectorAll<SVGPathElement>("path[data-series]")].reverse();
  let x = 0;
  let y = 8;
  const marks = series.flatMap((path) => {
    const name = path.dataset.series ?? "";
    const entryPx = 2 * swatchPx + (measure?.measureText(name).width ?? 0) + marginPx;
    if (x > 0 && x + entryPx > width) {
      x = 0;
      y += linePx;
    }
    const swatch = element("rect", {
      x,
      y,
      width: swatchPx,
      height: swatchPx,
      fill: getComputedStyle(path).fill,
    });
    const label = readText(name, { x: x + swatchPx * 1.6, y: y + swatchPx - 1 });
    x += entryPx;
    return [swatch, label];
  });
  return { marks, height: marks.length === 0 ? 0 : y + linePx };
}

function element(name: string, attributes: Attributes): SVGElement {
  const made = document.createElementNS(svgNamespace, name) as SVGElement;
  set(made, attributes);
  return made;
}

function readText(content: string, attributes: Attributes): SVGElement {
  const made = element("text", attributes);
  made.textContent = content;
  return made;
}

function set(target: Element, attributes: Attributes) {
  for (const [name, value] of Object.entries(attributes)) target.setAttribute(name, String(value));
}
