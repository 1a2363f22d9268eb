package dev.purgatory.cli;

import dev.purgatory.cluster.node.Cleanup;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * The front door of the command line.
 *
 * <p>Exit codes: 0 when all went well; 1 when the command failed; 2 when it was called in a wrong
 * way or something that it was told to use cannot be used. In both bad cases one line on standard
 * error says why.
 */
@Command(
    name = "purgatory",
    description = "Holds requests that cannot be answered yet, and answers each exactly once.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    subcommands = {
      DemoCommand.class,
      BrokerCommand.class,
      BenchCommand.class,
      CheckCommand.class,
      SoakCommand.class
    })
public final class Main {
  /** For picocli. */
  Main() {}

  /**
   * Runs one command and ends the process with its exit code.
   *
   * @param args the command and its options
   */
  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  /** The commands, ready to be executed in this process. */
  static CommandLine commandLine() {
    CommandLine commandLine =
        new CommandLine(new Main())
            .setParameterExceptionHandler(Main::wrongUse)
            .setExecutionExceptionHandler(Main::failed);
    commandLine.setExecutionStrategy(parsed -> runOrHelp(commandLine, parsed));
    return commandLine;
  }

  private static int runOrHelp(CommandLine commandLine, ParseResult parsed) {
    boolean nothingAsked =
        !parsed.hasSubcommand()
            && !parsed.isUsageHelpRequested()
            && !parsed.isVersionHelpRequested();
    if (nothingAsked) {
      commandLine.usage(commandLine.getErr());
      return CommandLine.ExitCode.USAGE;
    }
    return new CommandLine.RunLast().execute(parsed);
  }

  /** One line instead of picocli's usage dump: see {@link IParameterExceptionHandler}. */
  private static int wrongUse(ParameterException exception, String[] args) {
    report(exception.getCommandLine(), exception);
    return CommandLine.ExitCode.USAGE;
  }

  private static int failed(Exception exception, CommandLine commandLine, ParseResult parsed) {
    report(commandLine, exception);
    return CommandLine.ExitCode.SOFTWARE;
  }

  private static void report(CommandLine commandLine, Exception exception) {
    if (Cleanup.isProcessEnding()) {
      return;
    }
    String message = exception.getMessage() == null ? exception.toString() : exception.getMessage();
    PrintWriter err = commandLine.getErr();
    err.println(
        commandLine.getCommandSpec().qualifiedName()
            + ": "
            + message.lines().findFirst().orElse(""));
    err.flush();
  }
}
