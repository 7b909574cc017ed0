export const CADENCES = ['daily', 'weekly', 'monthly', 'quarterly', 'annual', 'tax-statement-window'] as const
