// Package size holds the limits of what compiled programs weigh, and of what they may link: see docs/architecture.md, "Small programs".
package size
