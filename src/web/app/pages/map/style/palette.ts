export const COLORS = {
  light: {
    ground: '#f6f7f2',
    fills: ['#d3e2d6', '#dde6cd', '#cce0de', '#e6e6d2'],
    line: '#84a093',
    water: '#dfe8ea',
    river: '#b4cfd9',
    border: '#b3bcb0',
    county: '#0b6b62',
    text: '#33453f',
    number: '#5c6f68',
    hit: '#0b6b62',
    hitEdge: '#ffffff',
    selected: '#d97706',
    area: '#b4261e',
  },
  dark: {
    ground: '#0d1416',
    fills: ['#1d3233', '#24372f', '#1b2f3b', '#2b3530'],
    line: '#4f7070',
    water: '#081014',
    river: '#1f4353',
    border: '#33474a',
    county: '#5bd6bf',
    text: '#c9d8d4',
    number: '#9db3ae',
    hit: '#5bd6bf',
    hitEdge: '#0b1517',
    selected: '#f0b35a',
    area: '#ff9d94',
  },
} as const

/** MapLibre draws these letters itself, with a font of the computer. */
export const FONT = ['Noto Sans', 'sans-serif']
