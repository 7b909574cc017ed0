import { findAdapter } from '../../../adapters/registry'
import { serveReader } from './serve-reader'

/* A program: a reader with the adapters of all vendors. */

serveReader(findAdapter)
