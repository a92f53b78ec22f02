import { ChartColumn, Table2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useTexts } from '../texts/texts.ts';
import { IconButton } from './button.tsx';
import { type Column, labelled, piecesOf, topOf, totalOf } from './chart.ts';

export interface Series {
  readonly name: string;
  /**
   * `fill` is the colour in the chart, and `swatch` is the colour of the square beside the name.
   */
  readonly fill: string;
  readonly swatch: string;
}

/* Bars, a legend and a table are a few elements; no chart library is needed to draw them. */

interface BarsProps {
  readonly title: string;
  /** Heading of the first table column. */
  readonly columnTitle: string;
  readonly series: readonly Series[];
  readonly columns: readonly Column[];
  readonly format: (value: number) => string;
  /** The scale reaches at least this value. */
  readonly least: number;
  readonly actions?: ReactNode;
}

/**
 * Stacked columns, with a table of the same figures for screen readers and for those who prefer
 * numbers.
 */
export function Bars({ title, columnTitle, series, columns, format, least, actions }: BarsProps) {
  const t = useTexts();
  const [asTable, setAsTable] = useState(false);
  const [pointed, setPointed] = useState<number | null>(null);
  const at = pointed === null ? undefined : columns[pointed];
  const Icon = asTable ? ChartColumn : Table2;
  return (
    <figure className="min-w-0 rounded border border-edge bg-panel p-4">
      <figcaption className="mb-2 flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className="grow font-semibold">{title}</h2>
        <div className="flex items-center gap-1">
          {actions}
          <IconButton
            label={asTable ? t.common.showChart : t.common.showTable}
            onClick={() => setAsTable(!asTable)}
          >
            <Icon size={16} />
          </IconButton>
        </div>
      </figcaption>
      {!asTable && (
        <Chart
          series={series}
          columns={columns}
          format={format}
          least={least}
          pointed={pointed}
          onPoint={setPointed}
        />
      )}
      {!asTable && (
        <p className="mt-2 flex min-h-5 flex-wrap gap-x-3 text-xs text-soft" aria-hidden>
          {at !== undefined && <span className="font-medium text-ink">{at.label}</span>}
          {(series.length > 1 || at !== undefined) &&
            series.map((each, index) => (
              <span key={each.name} className="flex items-center gap-1.5">
                <span className={`size-2 ${each.swatch}`} />
                {each.name}
                {at !== undefined && (
                  <span className="figures text-ink">{format(at.values[index] ?? 0)}</span>
                )}
              </span>
            ))}
        </p>
      )}
      <div className={asTable ? 'overflow-x-auto' : 'sr-only'}>
        <Table
          title={title}
          columnTitle={columnTitle}
          series={series}
          columns={columns}
          format={format}
        />
      </div>
    </figure>
  );
}

/** Maximum number of labels under the columns. */
const LABELS = 7;
const LABEL_CLASSES = { always: '', wide: 'max-md:hidden', never: 'hidden' } as const;

interface ChartProps {
  readonly series: readonly Series[];
  readonly columns: readonly Column[];
  readonly format: (value: number) => string;
  readonly least: number;
  readonly pointed: number | null;
  readonly onPoint: (index: number | null) => void;
}

function Chart({ series, columns, format, least, pointed, onPoint }: ChartProps) {
  const top = topOf(columns, least);
  const width = 100 / columns.length;
  const isCrowded = columns.length > LABELS;
  return (
    <div aria-hidden className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2 text-xs text-soft">
      <div className="figures flex h-36 flex-col justify-between text-right leading-none">
        <span>{format(top)}</span>
        <span>{format(top / 2)}</span>
        <span>{format(0)}</span>
      </div>
      {/* biome-ignore lint/a11y/noSvgWithoutTitle: the table has the same content */}
      <svg className="h-36 w-full overflow-visible" onPointerLeave={() => onPoint(null)}>
        {[0, 50, 100].map((y) => (
          <line
            key={y}
            x1="0"
            x2="100%"
            y1={`${y}%`}
            y2={`${y}%`}
            className={y === 100 ? 'stroke-line' : 'stroke-edge'}
          />
        ))}
        {columns.map((column, index) => (
          <g key={column.label} onPointerEnter={() => onPoint(index)}>
            <rect
              x={`${index * width}%`}
              width={`${width}%`}
              height="100%"
              className={pointed === index ? 'fill-ink/8' : 'fill-transparent'}
            />
            {piecesOf(column, top).map((piece) => (
              <rect
                key={piece.series}
                x={`${(index + 0.18) * width}%`}
                width={`${width * 0.64}%`}
                y={`${piece.y}%`}
                height={`${piece.height}%`}
                className={`stroke-panel ${series[piece.series]?.fill ?? ''}`}
              />
            ))}
          </g>
        ))}
      </svg>
      <div className="col-start-2 mt-1 flex">
        {columns.map(({ label }, index) => (
          <span
            key={label}
            className={`flex min-w-0 flex-1 ${isCrowded && index === columns.length - 1 ? 'justify-end' : 'justify-center'}`}
          >
            <span
              className={`whitespace-nowrap ${LABEL_CLASSES[labelled(index, columns.length, LABELS)]}`}
            >
              {label}
            </span>
          </span>
        ))}
      </div>
    </div>
  );
}

type TableProps = Pick<BarsProps, 'title' | 'columnTitle' | 'series' | 'columns' | 'format'>;

function Table({ title, columnTitle, series, columns, format }: TableProps) {
  const t = useTexts();
  const isSum = series.length > 1;
  return (
    <table className="w-full break-normal text-xs sm:text-dense">
      <caption className="sr-only">{title}</caption>
      <thead>
        <tr className="border-b border-edge text-left text-soft">
          <th scope="col" className="py-1 font-normal">
            {columnTitle}
          </th>
          {series.map(({ name }) => (
            <th key={name} scope="col" className="py-1 pl-2 text-right sm:pl-3 font-normal">
              {name}
            </th>
          ))}
          {isSum && (
            <th scope="col" className="py-1 pl-2 text-right sm:pl-3 font-normal">
              {t.common.total}
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {columns.map((column) => (
          <tr key={column.label} className="border-b border-edge last:border-0">
            <th scope="row" className="py-1 text-left font-normal">
              {column.label}
            </th>
            {series.map(({ name }, index) => (
              <td key={name} className="figures py-1 pl-2 text-right sm:pl-3">
                {format(column.values[index] ?? 0)}
              </td>
            ))}
            {isSum && (
              <td className="figures py-1 pl-2 text-right sm:pl-3">{format(totalOf(column))}</td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
