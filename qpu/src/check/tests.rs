//! One bad and one good program for each rule.
