/** Drawn on a 24 by 24 grid, in the color of the surrounding text. */
const PATHS = {
  parcels: 'M3 5.5 9.5 4v7L3 12.5zM9.5 4 21 6.5V13L9.5 11M3 12.5V19l6.5 1.5V11M9.5 20.5 21 18v-5',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v2M12 20v2M4.2 4.2l1.5 1.5M18.3 18.3l1.5 1.5M2 12h2M20 12h2M4.2 19.8l1.5-1.5M18.3 5.7l1.5-1.5',
  moon: 'M20.5 14.5A8.5 8.5 0 0 1 9.5 3.5a8.5 8.5 0 1 0 11 11',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4.5 20.5c1-4 4-6 7.5-6s6.5 2 7.5 6',
  key: 'M14.5 9.5a4.5 4.5 0 1 1-3.300-4.300 4.5 4.5 0 0 1 3.300 4.300zM13 12.5l7.5 7.5M17 17l2-2',
  search: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M15.5 15.5 21 21',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  check: 'M4 12.5 9.5 18 20 6.5',
  close: 'M5 5l14 14M19 5 5 19',
  company: 'M4 21V5l9-2v18M13 9h7v12M2.5 21h19M7.5 8.5h2M7.5 12.5h2M7.5 16.5h2',
  home: 'M3.5 11.5 12 4l8.5 7.5M6 9.5V20h12V9.5',
  people:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7M2.5 20c.8-3.700 3.400-5.5 6.5-5.5s5.700 1.800 6.5 5.5M16 4.300a3.5 3.5 0 0 1 0 6.400M18 15c1.800.8 3 2.5 3.5 5',
  chevron: 'M9 5l7 7-7 7',
  refresh: 'M20 11a8 8 0 0 0-14.5-4L3.5 9M3.5 4v5h5M4 13a8 8 0 0 0 14.5 4l2-2M20.5 20v-5h-5',
  link: 'M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.700-5.700L12 7M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.700 5.700L12 17',
  filter: 'M3.5 5h17l-6.5 8v6l-4 2v-8z',
  table: 'M3.5 5h17v14h-17zM3.5 10h17M3.5 14.500h17M10 5v14',
  draw: 'M5 7.500 13 4l7 6-3 9.500L6 18zM5 7.500v.1M13 4v.1M20 10v.1',
  ruler: 'M3.500 16.500 16.500 3.500l4 4-13 13zM7 13l2 2M10 10l2 2M13 7l2 2',
  measure: 'M4 4h16v16H4zM4 9h3M4 14h3M9 20v-3M14 20v-3',
  download: 'M12 4v11M7.500 11 12 15.500 16.500 11M4.500 19.500h15',
  bell: 'M6 16.500V11a6 6 0 0 1 12 0v5.500l1.500 2h-15zM10 21h4',
  star: 'M12 4l2.500 5.200 5.500.800-4 4 1 5.500-5-2.700-5 2.700 1-5.500-4-4 5.500-.800z',
  print: 'M7 9V4h10v5M6 17H3.500V9h17v8H18M7 14h10v6.500H7z',
  warning: 'M12 4 2.5 20h19zM12 10v5M12 17.5v.5',
} as const

export type IconName = keyof typeof PATHS

export const Icon = ({ name }: { name: IconName }) => (
  <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    <path d={PATHS[name]} />
  </svg>
)
