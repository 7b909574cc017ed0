import { findAdapter } from '../../../adapters/registry'
import { serveReader } from './serve-reader'

/* A program: a reader of every vendor's pages. */

serveReader(findAdapter)
